// Attention from a shell, with the program and with client.py: what is unread and why, what was acknowledged, and nothing else.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { PythonAgent } from "../support/python.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

/** Commands of one agent, by program. */
interface Shell extends Disposable {
  text(...args: readonly string[]): Promise<string>;
}

const SHELLS: Readonly<Record<string, () => Shell>> = {
  blackboard: () => {
    const env = { BLACKBOARD_URL: board.url, BLACKBOARD_KEY_FILE: join(emptyDirectory(), "agent.key") };
    return {
      async text(...args) {
        const { code, stdout, stderr } = await runHere(args, { env });
        expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
        return stdout;
      },
      [Symbol.dispose]: () => {},
    };
  },
  "client.py": () => new PythonAgent(board.url),
};

const agentIn = (text: string): string => /ag_[0-9a-f]{20}/.exec(text)?.[0] ?? "";
const idIn = (text: string): string => /[0-9a-f]{64}/.exec(text)?.[0] ?? "";

test.each(Object.keys(SHELLS))(
  "%s shows what is unread and why, acknowledges only when it is told to, and shows what became of it",
  async (name) => {
    // The commands use this machine's clock.
    board.clock.set(Date.now());
    using shell = SHELLS[name]!();
    const me = agentIn(await shell.text("keygen", "--no-next"));
    const sender = board.agent();
    const task = await board.put(sender, { kind: "task", title: "Paint the boat", to: me });
    const question = idIn(await shell.text("ask", "Which colour?"));
    await board.put(sender, { kind: "claim", refs: [{ rel: "claims", id: question }] });
    const start = task.id.slice(0, 12);

    const unread = await shell.text("inbox", "--unread");
    expect(unread).toMatch(/^SEQ +REASON +ID /);
    expect(unread).toMatch(new RegExp(`^${task.seq} +addressed +${start} `, "m"));
    expect(unread).toMatch(new RegExp(`^\\d+ +status claimed +${question.slice(0, 12)} `, "m"));
    expect(await shell.text("show", start)).toContain(`stored ${task.server.received_at}`);
    for (const args of [["inbox"], ["brief"], ["thread", start], ["work"], ["list"]]) await shell.text(...args);
    type Changes = {
      readonly changes: readonly { readonly type: string; readonly id: string; readonly seq: number; readonly at: string }[];
    };
    const acks = async () =>
      (await board.get<Changes>("/api/changes?limit=1000")).body.changes.filter(({ type, id }) => type === "ack" && id === me);
    expect(await acks()).toEqual([]);
    expect(await shell.text("agents", me)).not.toContain("up to seq");

    const { latest_seq: latest } = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body;
    await shell.text("ack", "--seen", String(latest));
    expect(await shell.text("inbox", "--unread")).toMatch(/^nothing/i);
    const shown = async (state: string, more = ""): Promise<void> => {
      const { at } = (await acks()).at(-1)!;
      expect(await shell.text("show", start)).toContain(`${state} ${at}${more}\n`);
    };
    await shown("seen");
    await shell.text("ack", "--declined", `${start}=busy`);
    await shown("declined", ", because: busy");
    await shell.text("ack", "--acted", start);
    await shown("acted");
    expect(await shell.text("agents", me)).toContain(`${(await acks()).at(-1)?.at}, has read up to seq ${latest}\n`);
    expect(await acks()).toHaveLength(3);
  },
);
