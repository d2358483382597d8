// Two agents that share only a board, one with the official MCP client and one with client.py, complete a task together.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { ERAS, McpClient } from "../support/mcp-client.ts";
import { PythonAgent } from "../support/python.ts";

interface Message {
  readonly id: string;
  readonly seq: number;
  readonly result?: string;
  readonly reason?: string;
  readonly server: { readonly author: { readonly id: string }; readonly assisted: boolean };
  readonly meta: { readonly kind: string };
  readonly content: { readonly body?: string };
  readonly derived: { readonly status: string; readonly claimed_by: string | null };
}
interface Listed {
  readonly messages: readonly Message[];
  readonly latest_seq: number;
}
interface Identity {
  readonly secret_key: string;
  readonly agent_id: string;
}

let board: TestBoard;
let python: PythonAgent;
let pythonId: string;
beforeAll(async () => {
  board = await TestBoard.start();
  python = new PythonAgent(board.url);
  pythonId = (await python.json<{ agent_id: string }>("keygen")).agent_id;
});
afterAll(async () => {
  python[Symbol.dispose]();
  await board[Symbol.asyncDispose]();
});

const refs = (rel: string, id: string) => [{ rel, id }];
const kindsOf = ({ messages }: Pick<Listed, "messages">) => messages.map(({ meta }) => meta.kind);

describe.each(ERAS)("with MCP of %s", (era) => {
  let mcp: McpClient;
  let mcpId: string;
  beforeAll(async () => {
    await using stranger = await McpClient.connect(board.url, era);
    const { secret_key: key, agent_id: id } = (await stranger.done("create_identity")) as unknown as Identity;
    mcp = await McpClient.connect(board.url, era, { "x-blackboard-key": key });
    mcpId = id;
  });
  afterAll(() => mcp[Symbol.asyncDispose]());

  const post = async (fields: Record<string, unknown>) => (await mcp.done("post_message", fields)) as unknown as Message;
  const statusBy = {
    mcp: async (id: string) => ((await mcp.done("get_message", { id })) as unknown as Message).derived,
    python: async (id: string) => (await python.json<Message>("show", id)).derived,
  };
  /** Both see the same. */
  const expectStatus = async (id: string, expected: Partial<Message["derived"]>) => {
    expect(await statusBy.mcp(id)).toMatchObject(expected);
    expect(await statusBy.python(id)).toMatchObject(expected);
  };

  test("the one asks through MCP, the other claims and answers by command, the first verifies and resolves", async () => {
    const needs = `rows-${era}`;
    const question = await post({ kind: "question", title: `How many rows has the table? ${era}`, needs: [needs], tags: ["data"] });
    expect(question).toMatchObject({ result: "created", server: { author: { id: mcpId } } });
    const work = await python.json<Listed>("work", "--needs", needs);
    expect(work.messages[0]?.id).toBe(question.id);
    await expectStatus(question.id, { status: "open" });

    // The asker waits while the other works.
    const waiting = mcp.done("wait_for_messages", { after_seq: question.seq, wait: 20, filters: { root: question.id, kind: "answer" } });
    await python.json("claim", question.id.slice(0, 10), "--lease", "1h");
    await expectStatus(question.id, { status: "claimed", claimed_by: pythonId });
    const answer = await python.json<Message>("answer", question.id, "Eight, and a head line.", "--confidence", "0.9");
    expect(((await waiting) as unknown as Listed).messages.map(({ id }) => id)).toEqual([answer.id]);
    await expectStatus(question.id, { status: "answered" });
    const inbox = (await mcp.done("read_inbox", {})) as unknown as Listed;
    expect(inbox.messages.find(({ id }) => id === answer.id)).toMatchObject({ reason: "reply", server: { author: { id: pythonId } } });

    await post({ kind: "verification", body: "Counted them myself.", refs: refs("verifies", answer.id) });
    await expectStatus(question.id, { status: "verified" });
    await expectStatus(answer.id, { status: "verified" });
    await post({ kind: "signal", signal: "resolved", refs: refs("on", question.id) });
    await expectStatus(question.id, { status: "resolved" });
    const { code, stderr } = await python.run(["claim", question.id]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^target_resolved: /)]);
    expect(kindsOf(await python.json<Listed>("thread", question.id)).toSorted()).toEqual(
      ["answer", "claim", "question", "signal", "verification"].toSorted(),
    );
  });

  test("the other way round: asked by command, worked through MCP with a key that stays at home", async () => {
    const worker = board.agent();
    /** Prepared by the board, signed here: the board never sees the key. */
    const submit = async (message: Record<string, unknown>) => {
      const prepared = await mcp.done("prepare_message", { pk: worker.pk, message, mine: true });
      const { payload, nonce } = prepared as { payload: string; nonce: string };
      return (await mcp.done("submit_message", { payload, nonce, sig: worker.sign(payload) })) as unknown as Message;
    };
    const question = await python.json<Message>("ask", `Which page has the totals? ${era}`, "--needs", `reading-${era}`);
    const work = (await mcp.done("find_work", { needs: [`reading-${era}`] })) as unknown as Listed;
    expect(work.messages[0]?.id).toBe(question.id);
    await submit({ kind: "claim", refs: refs("claims", question.id) });
    await expectStatus(question.id, { status: "claimed", claimed_by: worker.id });
    const late = await mcp.call("post_message", { kind: "claim", refs: refs("claims", question.id) });
    expect([late.isError, late.body]).toMatchObject([true, { error: { code: "already_claimed", details: { claimed_by: worker.id } } }]);
    const answer = await submit({ kind: "answer", body: "Page 12.", refs: refs("answers", question.id) });
    expect(answer.server.assisted).toBe(false);
    await expectStatus(question.id, { status: "answered" });

    const inbox = await python.json<Listed>("inbox");
    expect(inbox.messages.map(({ id }) => id)).toContain(answer.id);
    expect(await python.text("show", answer.id)).toContain("  | Page 12.\n");
    await python.json("verify", answer.id, "It is on page 12.");
    await expectStatus(question.id, { status: "verified" });
    await python.json("resolve", question.id);
    await expectStatus(question.id, { status: "resolved" });
  });
});

test("and the log of it all can be replayed", async () => {
  expect(await python.text("verify-log")).toMatch(/^good .* from its first entry to seq \d+\n/);
});
