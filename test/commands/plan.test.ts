// A plan of many messages from a file: both command lines post it in the same way, and print the same.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere, type Said } from "../support/program.ts";
import { CLIENT, runPython } from "../support/python.ts";

const cwd = emptyDirectory();
let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
  await blackboard(["keygen"]);
});
afterAll(() => board[Symbol.asyncDispose]());

const environment = () => ({ BLACKBOARD_URL: board.url, BLACKBOARD_KEY_FILE: join(cwd, "key") });
function blackboard(args: readonly string[]): Promise<Said> {
  // The commands use this machine's clock.
  board.clock.set(Date.now());
  return runHere(args, { env: environment() });
}
function python(args: readonly string[]) {
  board.clock.set(Date.now());
  return runPython([CLIENT, ...args], { cwd, env: environment() });
}
const PROGRAMS = [
  ["blackboard", blackboard],
  ["client.py", python],
] as const;

/** The path of a file with these lines. */
function plan(name: string, lines: readonly (object | string)[]): string {
  const path = join(cwd, name);
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}
const parts = (stem: string) => [
  { name: "all", kind: "task", title: `${stem} all`, tags: ["plan"] },
  "",
  { name: "a", kind: "subtask", title: `${stem} a`, refs: [{ rel: "subtask_of", id: "@all" }] },
  { kind: "note", title: `${stem} b`, refs: [{ rel: "reply", id: "@a" }], attachments: [{ name: "b.txt", mime: "text/plain", text: "b" }] },
];

describe.each(PROGRAMS)("%s", (program, run) => {
  test("posts a plan with its refs, and prints the result of each line", async () => {
    const { code, stdout, stderr } = await run(["post", "--file", plan(`${program}.jsonl`, parts(program)), "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { line: number; id: string; status: number });
    expect(lines).toMatchObject([
      { line: 1, name: "all", status: 201, result: "created", warnings: [] },
      { line: 2, name: "a", status: 201 },
      { line: 3, status: 201 },
    ]);
    const [all, a, b] = lines.map(({ id }) => id);
    expect((await board.record(a!)).meta.refs).toEqual([{ rel: "subtask_of", id: all }]);
    const note = await board.record(b!);
    expect(note.derived.root).toBe(all);
    expect(note.meta.attachments).toMatchObject([{ name: "b.txt", size: 1 }]);
    const prefixed = plan("prefixed.jsonl", [{ kind: "note", body: program, refs: [{ rel: "cites", id: all!.slice(0, 12) }] }]);
    const people = await run(["post", "--file", prefixed]);
    expect(people).toMatchObject({ code: 0, stderr: "" });
    expect(people.stdout).toMatch(/^created +[0-9a-f]{64} {2}note\n$/);
  });

  test("tries a plan without posting it", async () => {
    const { code, stdout } = await run(["post", "--file", plan("dry.jsonl", parts(`${program} dry`)), "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout.match(/^valid +[0-9a-f]{64} {2}.+$/gm)).toHaveLength(3);
    expect((await board.get<{ messages: object[] }>(`/api/messages?q=${encodeURIComponent(`"${program} dry"`)}`)).body.messages).toEqual(
      [],
    );
  });

  test("posts what is right, and fails for what is not", async () => {
    const wrong = { name: "all", kind: "task", title: "x".repeat(300) };
    const { code, stdout, stderr } = await run([
      "post",
      "--file",
      plan("wrong.jsonl", [wrong, parts(program)[2]!, { kind: "note", title: "right" }]),
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^created +[0-9a-f]{64} {2}right\n$/);
    // Anything may be replied to, so the board alone would accept the second.
    const replied = plan("replied.jsonl", [wrong, { kind: "note", body: "b", refs: [{ rel: "reply", id: "@all" }] }]);
    const tried = await run(["post", "--file", replied, "--dry-run"]);
    expect(tried).toMatchObject({ code: 1, stdout: "" });
    expect(tried.stderr).toMatch(/2 note: target_unknown: It refers to @all, which was refused\.[^]*2 of 2 messages were refused\.\n$/);
    expect(stderr).toMatch(/1 @all: invalid_field: [^]*2 @a: target_unknown: [^]*2 of 3 messages were refused\.\n$/);
  });

  test("posts nothing of a plan that is no plan", async () => {
    const before = (await board.get<{ seq: number }>("/api/checkpoint")).body.seq;
    for (const [lines, words] of [
      [[], /[Tt]he plan has no messages/],
      [["", " "], /[Tt]he plan has no messages/],
      [["nonsense"], /[Ll]ine 1 of the plan is not a message/],
      [
        [
          { kind: "note", body: "a" },
          { kind: "note", refs: [{ rel: "reply" }] },
        ],
        /[Ll]ine 2 of the plan is not a message/,
      ],
      [[{ kind: "note", refs: [{ rel: "reply", id: "@none" }] }], /refers to @none, and no message before it has that name/],
    ] as const) {
      const { code, stderr } = await run(["post", "--file", plan("none.jsonl", lines)]);
      expect(code).toBe(2);
      expect(stderr).toMatch(words);
    }
    const directory = await run(["post", "--file", "."]);
    expect(directory.code).toBe(1);
    expect(directory.stderr).toMatch(/directory/);
    expect(directory.stderr).not.toContain("EISDIR");
    const none = plan("none.jsonl", []);
    expect((await run(["post", "note", "--file", none])).code).toBe(2);
    expect((await run(["post", "--file", none, "--title", "one"])).code).toBe(2);
    expect((await run(["post"])).code).toBe(2);
    expect((await board.get<{ seq: number }>("/api/checkpoint")).body.seq).toBe(before);
  });
});
