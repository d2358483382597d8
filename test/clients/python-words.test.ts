// The commands of client.py with the names of acts, and the output of its lists and single messages.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestBoard } from "../support/board.ts";
import { Proxy } from "../support/proxy.ts";
import { CLIENT, type PythonAgent, runPython } from "../support/python.ts";
import { type Listed, type Posted, PythonPair } from "../support/python-pair.ts";

let pair: PythonPair;
let board: TestBoard;
let asker: PythonAgent;
let worker: PythonAgent;
let ids: PythonPair["ids"];
beforeAll(async () => {
  pair = await PythonPair.start();
  ({ board, asker, worker, ids } = pair);
});
afterAll(() => pair[Symbol.asyncDispose]());

describe("every act has a command of its name", () => {
  let task: Posted;
  const CSV = "\uFEFFa;b\n1;2\n";

  test("task, question, refute and release, by the work or by the claim", async () => {
    writeFileSync(join(asker.home, "t.csv"), CSV);
    task = await asker.json<Posted>("task", "Plot the table", "--needs", "python", "--offers", "thanks", "--attach", "t.csv");
    expect(task.meta).toMatchObject({ kind: "task", title: "Plot the table", needs: ["python"] });
    expect(await asker.json("question", "Which colours?", "--dry-run")).toMatchObject({ result: "valid" });
    expect(await worker.run(["release", task.id])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^You hold no lease on [0-9a-f]{12}: it is open; you are ag_/) as string,
    });
    await worker.json("claim", task.id);
    // Renewed: only the newest claim has the lease.
    const claim = await worker.json("claim", task.id, "--lease", "2h");
    for (const command of ["list", "search"])
      for (const [agent, found] of [
        [worker, [task.id]],
        [asker, []],
      ] as const) {
        const { messages } = await agent.json<{ messages: Posted[] }>(command, "--where", "claimed_by=me");
        expect(messages.map(({ id }) => id)).toEqual(found);
      }
    expect((await asker.run(["release", task.id])).stderr).toMatch(/it is claimed, leased to ag_[0-9a-f]{20} until .+Z; you are ag_/);
    expect(await worker.text("release", task.id.slice(0, 10))).toMatch(
      new RegExp(`^created .+\nseq .+\nurl .+\nnow +${task.id.slice(0, 12)} is open\n$`),
    );
    expect((await board.get(`/api/messages/${claim.id}`)).status).toBe(410);
    // Any number of times, also within a second: after a retraction, the same claim is a new message.
    for (const _ of ["again", "and again"]) {
      const again = await worker.json("claim", task.id);
      expect((await board.record(task.id)).derived.status).toBe("claimed");
      await worker.json("release", again.id);
    }
    expect((await board.record(task.id)).derived).toMatchObject({ status: "open", claimed_by: null });
    const { id } = await worker.json("answer", task.id, "It is flat.", "--ref", `cites=${task.id.slice(0, 8)}`);
    expect((await board.record(id)).meta.refs).toEqual([
      { rel: "answers", id: task.id },
      { rel: "cites", id: task.id },
    ]);
    expect(await asker.text("refute", id, "It rises.")).toMatch(/is disputed\n$/);
  });

  test("attachments, needs and offers are shown, and a text is fetched and compared with its hash", async () => {
    for (const command of ["show", "thread"]) {
      const text = await worker.text(command, task.id);
      expect(text).toMatch(/^  \| attachment {2}t\.csv \(text\/csv, 11 bytes, [0-9a-f]{64}\)$/m);
      expect(text).toMatch(/^  \| needs {7}python$/m);
      expect(text).toMatch(/^  \| offers {6}thanks$/m);
    }
    expect(await worker.text("attachment", task.id.slice(0, 12))).toBe(CSV);
    expect(await worker.json("attachment", task.id, "t.csv")).toMatchObject({ name: "t.csv", text: CSV });
    const wrong = await worker.run(["attachment", task.id, "u.csv"]);
    expect(wrong).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/has no attachment "u\.csv": t\.csv \(/) as string });
    await using liar = await Proxy.start(() => board.url, {
      change: (path, body) => (path.startsWith("/api/blobs") ? body.replace("1;2", "2;1") : body),
    });
    expect(await worker.run(["attachment", task.id], { url: liar.url })).toMatchObject({ code: 4, stdout: "" });
  });

  test("a thread is cut to what one asks for, and says what was left out", async () => {
    const root = await board.put(board.agent(), { kind: "task", title: "Sum it all" });
    const { id } = await asker.json<{ id: string }>("post", "subtask", "--title", "Sum this part", "--ref", `subtask_of=${root.id}`);
    await asker.text("post", "subtask", "--title", "Sum the other part", "--ref", `subtask_of=${root.id}`);
    await worker.text("claim", id);
    const subtree = await asker.text("thread", id.slice(0, 12), "--scope", "subtree", "--fold");
    expect(subtree).toMatch(/^ {2}folded {6}claims by ag_[0-9a-f]{20}$/m);
    expect(subtree).not.toContain("other part");
    expect(subtree).toMatch(/^left out: 1 message$/m);
    const cut = await asker.json("thread", root.id, "--limit", "1", "--fields", "meta.title");
    expect(cut).toMatchObject({ messages: [{ id: root.id, meta: { title: "Sum it all" } }], complete: false, omitted: 3 });
    expect(await asker.text("thread", root.id, "--fields", "derived.status")).toMatch(/^ID {2,}derived\.status\n[0-9a-f]{12} {2}open\n/);
    expect(await asker.text("thread", root.id, "--fields", "server,meta,derived")).toContain("Sum the other part");
    expect((await asker.text("thread", root.id, "--max-chars", "500")).length).toBeLessThan(2000);
  });

  test("supersede posts a new version of the agent's own message, and fields that are not given stay", async () => {
    const { id } = await worker.json("answer", task.id, "It rises.", "--tag", "plots", "--confidence", "0.5", "--data", '{"n":1}');
    expect(await asker.run(["supersede", id, "No."])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ is by ag_.+, and only its author can supersede it; you are ag_/) as string,
    });
    const newer = await worker.json("supersede", id.slice(0, 12), "It rises twice.", "--confidence", "0.9");
    expect(await board.record(newer.id)).toMatchObject({
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
    writeFileSync(join(asker.home, "body.txt"), "Twice.\n");
    const second = await asker.json<Posted>("supersede", task.id, "--title", "Plot the table again");
    expect(second.meta).toMatchObject({ title: "Plot the table again", needs: ["python"], attachments: [{ name: "t.csv" }] });
    const third = await asker.json<Posted>("supersede", second.id, "--attach", "body.txt");
    expect(third.meta["attachments"]).toMatchObject([{ name: "body.txt" }]);
    const note = await asker.json("post", "note", "--body-file", "body.txt");
    expect((await board.record(note.id)).content).toMatchObject({ body: "Twice." });
  });

  test("agents, tags and similar show the agents, the tags in use, and how similar messages are", async () => {
    await worker.json("post", "profile", "--body", "I plot.\u001b[2J", "--offers", "plotting");
    expect(await asker.text("agents", "--offers", "plotting")).toMatch(new RegExp(`^AGENT .+\n${ids.worker} .+ plotting\n$`));
    expect(await asker.text("agents", ids.worker)).toContain("offers          plotting\n  | I plot.\\x1b[2J\n");
    expect(await asker.text("tags", "plo")).toMatch(/^USES +LAST USED +TAG\n1 .+ plots\n$/);
    expect(await asker.text("tags", "--field", "need", "--json")).toContain('"tag":"python"');
    expect(await asker.text("similar", "Plot the table once more")).toMatch(/^ID .+ SCORE .*TITLE\n.+ [01]\.\d\d +Plot the table again\n/);
  });

  test("report goes to the operator and answers with a receipt", async () => {
    const { code, stdout } = await asker.run(["report", task.id, "spam", "-"], { input: "It is an advertisement.\n" });
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^received +rp_[0-9a-z]+\nspam +${task.id}\n$`))]);
    expect(await asker.run(["report", task.id, "boring", "So dull."])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^invalid_field: /) as string,
    });
  });
});

describe("lists", () => {
  test("leave out claims, signals and retractions, and say how many; --all or --kind brings them back", async () => {
    const { id } = await board.put(board.agent(), { kind: "task", title: "Among acts" });
    for (const signal of ["useful", "stale", "unclear"] as const)
      await board.put(board.agent(), { kind: "signal", signal, refs: [{ rel: "on", id }] });
    const kinds = async (...flags: string[]) =>
      (await asker.json<{ messages: { meta: { kind: string } }[] }>("list", "--where", `root=${id}`, ...flags)).messages.map(
        ({ meta }) => meta.kind,
      );
    expect(await kinds()).toEqual(["task"]);
    expect(await kinds("--limit", "1")).toEqual(["task"]);
    expect(await kinds("--all")).toEqual(["signal", "signal", "signal", "task"]);
    expect(await kinds("--kind", "signal")).toEqual(["signal", "signal", "signal"]);
    expect(await asker.text("list", "--where", `root=${id}`)).toMatch(/\nleft out: 3 claims, signals and retractions; --all shows them\n$/);
  });

  test("a record of which only some fields were asked for is shown with what it has", async () => {
    const { id } = await board.put(board.agent(), { kind: "note", title: "In parts", tags: ["parts"] });
    const parts = await asker.text("list", "--tag", "parts", "--where", "fields=meta.title,server.author.id,content.flags");
    expect(parts).toMatch(new RegExp(`^ID +(?:server\\.author\\.id|meta\\.title|content\\.flags| )+\n${id.slice(0, 12)} .*In parts`));
    expect(parts).toMatch(/ag_[0-9a-f]{20}/);
    expect(await asker.text("search", "--tag", "parts", "--where", "fields=id")).toBe(`ID\n${id.slice(0, 12)}\n`);
  });

  test("are one line of JSON for programs, as those of the other command line are", async () => {
    const text = await asker.text("list", "--json");
    expect(text.split("\n")).toHaveLength(2);
    expect(text).toBe(
      `${JSON.stringify(JSON.parse(text) as Listed).replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`,
    );
  });
});

test("an unknown command is answered with the one that was most likely meant, not with the whole help", async () => {
  for (const [given, meant] of [
    ["qestion", "question"],
    ["relase", "release"],
    ["attach", "attachment"],
    ["agent", "agents"],
  ] as const)
    expect(await runPython([CLIENT, given, "x"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `There is no command "${given}". Did you mean ${meant}?\nAll commands: client.py --help\n`,
    });
  expect((await runPython([CLIENT, "dance"])).stderr).toBe('There is no command "dance".\nAll commands: client.py --help\n');
});

test("both command lines have the same commands for agents", async () => {
  const named = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name).toSorted();
  const { stdout } = await runPython([CLIENT, "--help"]);
  const program = readFileSync(join(import.meta.dirname, "../../src/program.ts"), "utf8");
  const groups = program.slice(program.indexOf('"Act as an agent:"'), program.indexOf("/** Runs the command"));
  // The MCP bridge, the courier and the hook come with the program only.
  const here = named(groups, /^ {4}"?([a-z-]+)"?: async/gm).filter((name) => !["mcp", "courier", "hook"].includes(name));
  expect(named(stdout, /^ {4}([a-z-]+)(?: |$)/gm)).toEqual(here);
});
