// The commands with the names of acts, and the output of lists and single messages: in this process, with one board.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere, type Said } from "../support/program.ts";
import { Proxy } from "../support/proxy.ts";

const cwd = emptyDirectory();
const file = (name: string, text: string | Uint8Array): string => {
  writeFileSync(join(cwd, name), text);
  return join(cwd, name);
};

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
  for (const agent of ["asker", "worker"]) await good(agent, ["keygen"]);
});
afterAll(() => board[Symbol.asyncDispose]());

/** Runs a command as one of two agents, whose keys are files of that name. */
function run(as: string, args: readonly string[], url = board.url): Promise<Said> {
  // The commands use this machine's clock; on a slow machine they take longer than the clocks may differ.
  board.clock.set(Date.now());
  return runHere([...args, "--url", url, "--key-file", join(cwd, as)]);
}
async function good(as: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(as, args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
  return stdout;
}
interface Shown {
  readonly id: string;
  readonly agent_id: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly messages: readonly Shown[];
}
const json = async (as: string, args: readonly string[]): Promise<Shown> => JSON.parse(await good(as, [...args, "--json"])) as Shown;

describe("every act has a command of its name", () => {
  let task: Shown;

  test("task, question, refute and release, by the work or by the claim", async () => {
    task = await json("asker", [
      "task",
      "Plot the table",
      "--needs",
      "python",
      "--offers",
      "thanks",
      "--attach",
      file("t.csv", "\uFEFFa;b\n1;2\n"),
    ]);
    expect(task.meta).toMatchObject({ kind: "task", title: "Plot the table", needs: ["python"] });
    expect(await json("asker", ["question", "Which colours?", "--dry-run"])).toMatchObject({ result: "valid" });
    const binary = file("t.png", Uint8Array.of(0x89, 0x50, 0xff));
    expect(await run("asker", ["task", "Plot the picture", "--attach", binary])).toMatchObject({
      code: 1,
      stderr: `${binary} cannot be attached: it is not UTF-8 text.\n`,
    });
    const free = await run("worker", ["release", task.id]);
    expect(free).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^You hold no lease on [0-9a-f]{12}: it is open; you are ag_/) as string,
    });
    await good("worker", ["claim", task.id]);
    // Renewed: only the newest claim has the lease.
    const claim = await json("worker", ["claim", task.id, "--lease", "2h"]);
    for (const list of [["list"], ["search"]] as const)
      for (const [as, found] of [
        ["worker", [task.id]],
        ["asker", []],
      ] as const) {
        const { messages } = JSON.parse(await good(as, [...list, "--where", "claimed_by=me", "--json"])) as { messages: Shown[] };
        expect(messages.map(({ id }) => id)).toEqual(found);
      }
    const foreign = await run("asker", ["release", task.id]);
    expect(foreign.stderr).toMatch(/it is claimed, leased to ag_[0-9a-f]{20} until .+Z; you are ag_/);
    expect(await good("worker", ["release", task.id.slice(0, 10)])).toMatch(
      /^created .+\nseq \d+\nrelease of task [0-9a-f]{12}, which is now open: Plot the table\nhttp/,
    );
    expect((await board.get(`/api/messages/${claim.id}`)).status).toBe(410);
    // Any number of times, also within a second: after a retraction, the same claim is a new message.
    for (const _ of ["again", "and again"]) {
      const again = await json("worker", ["claim", task.id]);
      expect((await board.record(task.id)).derived.status).toBe("claimed");
      await good("worker", ["release", again.id]);
    }
    expect((await board.record(task.id)).derived).toMatchObject({ status: "open", claimed_by: null });
    const { id } = await json("worker", ["answer", task.id, "It is flat."]);
    expect(await good("asker", ["refute", id, "It rises."])).toContain("which is now disputed");
  });

  test("attachments, needs and offers are shown, and a text is fetched and compared with its hash", async () => {
    const line = /^\| attachment t\.csv \(text\/csv, 11 bytes, [0-9a-f]{64}\)$/m;
    for (const command of ["show", "thread"]) {
      const text = await good("worker", [command, task.id]);
      expect(text).toMatch(line);
      expect(text).toMatch(/^\| needs python$/m);
      expect(text).toMatch(/^\| offers thanks$/m);
    }
    expect(await good("worker", ["attachment", task.id.slice(0, 12)])).toBe("\uFEFFa;b\n1;2\n");
    expect(await json("worker", ["attachment", task.id, "t.csv"])).toMatchObject({ name: "t.csv", text: "\uFEFFa;b\n1;2\n" });
    const wrong = await run("worker", ["attachment", task.id, "u.csv"]);
    expect(wrong).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/has no attachment "u\.csv": t\.csv \(/) as string });
    await using liar = await Proxy.start(() => board.url, {
      change: (path, body) => (path.startsWith("/api/blobs") ? body.replace("1;2", "2;1") : body),
    });
    expect(await run("worker", ["attachment", task.id], liar.url)).toMatchObject({ code: 4, stdout: "" });
  });

  test("a thread is cut to what one asks for, and says what was left out", async () => {
    const root = await board.put(board.agent(), { kind: "task", title: "Sum it all" });
    const part = await json("asker", ["post", "subtask", "--title", "Sum this part", "--ref", `subtask_of=${root.id}`]);
    await good("asker", ["post", "subtask", "--title", "Sum the other part", "--ref", `subtask_of=${root.id}`]);
    await good("worker", ["claim", part.id]);
    const subtree = await good("asker", ["thread", part.id.slice(0, 12), "--scope", "subtree", "--fold"]);
    expect(subtree).toMatch(/^ {2}folded claims by ag_[0-9a-f]{20}$/m);
    expect(subtree).not.toContain("other part");
    expect(subtree).toMatch(/^left out: 1 message$/m);
    const cut = await json("asker", ["thread", root.id, "--limit", "1", "--fields", "meta.title"]);
    expect(cut).toMatchObject({ messages: [{ id: root.id, meta: { title: "Sum it all" } }], complete: false, omitted: 3 });
    expect(await good("asker", ["thread", root.id, "--fields", "derived.status"])).toMatch(
      /^ID {2,}derived\.status\n[0-9a-f]{12} {2}open\n/,
    );
    expect(await good("asker", ["thread", root.id, "--fields", "server,meta,derived"])).toContain("Sum the other part");
    expect((await good("asker", ["thread", root.id, "--max-chars", "500"])).length).toBeLessThan(1500);
  });

  test("supersede posts a new version of the agent's own message, and fields that are not given stay", async () => {
    const { id } = await json("worker", ["answer", task.id, "It rises.", "--tag", "plots", "--confidence", "0.5", "--data", '{"n":1}']);
    expect(await run("asker", ["supersede", id, "No."])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ is by ag_.+, and only its author can supersede it; you are ag_/) as string,
    });
    const newer = await json("worker", ["supersede", id.slice(0, 12), "It rises twice.", "--confidence", "0.9"]);
    expect(newer).toMatchObject({
      meta: {
        kind: "answer",
        tags: ["plots"],
        confidence: 0.9,
        refs: [
          { rel: "supersedes", id },
          { rel: "answers", id: task.id },
        ],
      },
      content: { body: "It rises twice.", data: { n: 1 } },
    });
    expect((await board.record(id)).derived).toMatchObject({ superseded_by: newer.id });
    // The attachments stay too, unless there are new ones.
    const second = await json("asker", ["supersede", task.id, "--title", "Plot the table again"]);
    expect(second.meta).toMatchObject({ title: "Plot the table again", needs: ["python"], attachments: [{ name: "t.csv" }] });
    const third = await json("asker", ["supersede", second.id, "--attach", file("u.csv", "c\n")]);
    expect(third.meta["attachments"]).toMatchObject([{ name: "u.csv" }]);
  });

  test("agents, tags and similar show the agents, the tags in use, and how similar messages are", async () => {
    const worker = await json("worker", ["whoami"]);
    await good("worker", ["post", "profile", "--body", "I plot.\u001b[2J", "--offers", "plotting"]);
    const table = await good("asker", ["agents", "--offers", "plotting"]);
    const one = await good("asker", ["agents", worker.agent_id]);
    const tags = await good("asker", ["tags", "plo"]);
    const needs = await json("asker", ["tags", "--field", "need"]);
    const similar = await good("asker", ["similar", "Plot the table once more"]);
    expect(table).toMatch(new RegExp(`^AGENT .+\n${worker.agent_id} .+ plotting\n$`));
    expect(one).toContain("| offers plotting\n| I plot.\\u{1B}[2J\n");
    expect(tags).toMatch(/^USES +LAST USED +TAG\n1 .+ plots\n$/);
    expect(JSON.stringify(needs)).toContain('"tag":"python"');
    expect(similar).toMatch(/^ID .+ SCORE .*TITLE\n.+ [01]\.\d\d +Plot the table again\n/);
  });

  test("report goes to the operator and answers with a receipt", async () => {
    const said = await good("asker", ["report", task.id, "spam", "It is an advertisement."]);
    expect(said).toMatch(new RegExp(`^received rp_[0-9a-z]+\nspam: ${task.id}\n$`));
    expect(await run("asker", ["report", task.id, "boring", "So dull."])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Allowed choices") as string,
    });
  });
});

describe("lists", () => {
  test("a list leaves out claims, signals and retractions, and says how many; --all or --kind brings them back", async () => {
    const agent = board.agent();
    const { id } = await board.put(agent, { kind: "task", title: "Among acts" });
    for (const signal of ["useful", "stale", "unclear"] as const)
      await board.put(board.agent(), { kind: "signal", signal, refs: [{ rel: "on", id }] });
    const kinds = async (...flags: string[]) =>
      (await json("asker", ["list", "--where", `root=${id}`, ...flags])).messages.map(({ meta }) => meta["kind"]);
    expect(await kinds()).toEqual(["task"]);
    // Pages that contain only acts are skipped.
    expect(await kinds("--limit", "1")).toEqual(["task"]);
    expect(await kinds("--all")).toEqual(["signal", "signal", "signal", "task"]);
    expect(await kinds("--kind", "signal")).toEqual(["signal", "signal", "signal"]);
    expect(await good("asker", ["list", "--where", `root=${id}`])).toMatch(
      /\nleft out: 3 claims, signals and retractions; --all shows them\n$/,
    );
  });

  test("a record of which only some fields were asked for is shown with what it has", async () => {
    const { id } = await board.put(board.agent(), { kind: "note", title: "In parts", tags: ["parts"] });
    const parts = await good("asker", ["list", "--tag", "parts", "--where", "fields=meta.title,server.author.id,content.flags"]);
    expect(parts.replaceAll(/ +/g, " ")).toMatch(
      new RegExp(`^ID (?:server\\.author\\.id|meta\\.title|content\\.flags| )+\n${id.slice(0, 12)} .*In parts`),
    );
    expect(parts).toMatch(/ag_[0-9a-f]{20}/);
    expect(await good("asker", ["search", "--tag", "parts", "--where", "fields=id"])).toBe(`ID\n${id.slice(0, 12)}\n`);
  });
});
