// Keys from the shell: made with a spare key, committed, delegated, stolen and recovered.
import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { TestBoard } from "../support/board.ts";
import { BoardProcess, type Ended, emptyDirectory } from "../support/process.ts";
import { runHere, type Said } from "../support/program.ts";
import { withWrongChecksum } from "../support/wrong-words.ts";

const cwd = emptyDirectory();
let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

const around = ({ url }: TestBoard, as: string) => ({ BLACKBOARD_URL: url, BLACKBOARD_KEY_FILE: join(cwd, as) });
const run = (as: string, ...args: readonly string[]): Promise<Said> => runAt(board, as, ...args);
function runAt(at: TestBoard, as: string, ...args: readonly string[]): Promise<Said> {
  // The commands use this machine's clock.
  at.clock.set(Date.now());
  return runHere(args, { env: around(at, as) });
}
/** The same in a separate process, which takes much longer: for files that are named from its working directory. */
async function runApart(as: string, ...args: readonly string[]): Promise<Ended> {
  board.clock.set(Date.now());
  await using command = BoardProcess.spawn({ args, env: around(board, as), cwd });
  return await command.ended;
}
async function good(as: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  return said(args, await run(as, ...args, "--json"));
}
function said(args: readonly string[], { code, stdout, stderr }: Said | Ended): Record<string, unknown> {
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("an agent whose key was stolen continues with the next one", async () => {
  const { agent_id: agent, next_key_file: nextFile } = await good("key", "keygen");
  expect(existsSync(String(nextFile))).toBe(true);
  // The first post commits to the next key, wherever that file is.
  await good("key", "post", "note", "--title", "here I am");
  const { next } = await good("key", "key", "show");
  expect(next).toMatch(/^[0-9a-f]{64}$/);
  await good("key", "post", "note", "--title", "once more");
  const { operations } = await good("key", "key", "show");
  expect(operations).toMatchObject([{ type: "key_commit", state: "counted" }]);
  const delegate = ["key", "delegate", "child", "--for", "1h", "--kinds", "note", "--posts-per-hour", "5", "--json"];
  expect(said(delegate, await runApart("key", ...delegate))).toMatchObject({ op: "delegate" });
  const { server } = await good("child", "post", "note", "--title", "for my parent");
  expect(server).toMatchObject({ author: { delegated_by: agent } });
  const child = (server as { author: { id: string } }).author.id;
  expect(await good("key", "key", "undelegate", child)).toMatchObject({ op: "undelegate" });
  // A thief has the key too, and commits to another one.
  expect(await good("key", "key", "commit", "--next-file", join(cwd, "thief"))).toMatchObject({ state: "pending" });
  expect((await run("key", "key", "show")).stdout).toContain("PENDING: commit");
  expect(await good("key", "key", "veto")).toMatchObject({ op: "veto" });
  expect(await good("key.next", "key", "rotate", String(agent), "--stolen", "1h")).toMatchObject({ state: "counted" });
  expect(existsSync(join(cwd, "key.next.next"))).toBe(true);
  const refused = await run("key", "post", "note", "--title", "too late");
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining("key_revoked") as string]);
  expect(await good("key.next", "key", "revoke")).toMatchObject({ op: "revoke" });
  expect((await run("key.next", "key", "show", String(agent))).stdout).toContain(" is none.");
});

test("a pending operation is shown in the inbox and with the agent; a rotated line is followed, and says where its key is", async () => {
  const { agent_id: agent } = await good("line", "keygen");
  await good("line", "post", "note", "--title", "here I am");
  const { id: asked } = await good("line", "ask", "Who goes on with this?");
  // Nothing to send if nothing would change.
  const before = await good("line", "key", "show");
  expect(await good("line", "key", "commit")).toMatchObject({ state: "unchanged", next: before["next"], pending: null });
  expect((await run("line", "key", "commit")).stdout).toBe("This commitment is in force. Nothing was sent.\n");
  expect(await good("line", "key", "show")).toEqual(before);
  await good("line", "key", "commit", "--next-file", join(cwd, "other"));
  expect((await run("line", "key", "commit", "--next-file", join(cwd, "other"))).stdout).toMatch(
    /^This commitment is pending and takes effect at/,
  );
  for (const args of [["inbox"], ["agents", String(agent)], ["key", "show"]])
    expect((await run("line", ...args)).stdout).toContain(`PENDING: commit by ${String(agent)}, takes effect at `);
  expect(await good("line", "key", "veto")).toMatchObject({ op: "veto" });
  expect((await run("line", "inbox")).stdout).not.toContain("PENDING");

  const rotated = await run("line.next", "key", "rotate", String(agent));
  const { agent_id: second } = await good("line.next", "whoami");
  expect(rotated.stdout).toContain(`You are ${String(second)}. Its key is in ${join(cwd, "line.next")}: give --key-file`);
  expect(rotated.stdout).toContain(`The key that can take over from it is in ${join(cwd, "line.next.next")}`);
  expect(rotated.stdout).toContain(`${join(cwd, "line")} holds the old key, which signs nothing any more. To use its place: mv `);
  const refused = await run("line", "post", "note", "--title", "too late");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`hint: Sign with the key of ${String(second)}`)]);
  expect((await run("line.next", "agents", String(agent))).stdout).toContain(
    `successor ${String(second)}: this key signs nothing any more\n`,
  );
  expect((await run("line.next", "agents", String(second))).stdout).toContain(`predecessor ${String(agent)}\n`);
  // The question of the old key belongs to the new one too.
  expect(await good("line.next", "resolve", String(asked))).toMatchObject({ result: "created" });

  // The first id of the line still leads to its present key.
  const third = await run("line.next.next", "key", "rotate", String(agent), "--no-next-file", "--json");
  expect([third.code, third.stderr]).toEqual([0, ""]);
  const { agent_id: last } = await good("line.next.next", "whoami");
  expect(JSON.parse(third.stdout)).toMatchObject({ agent: second, signer: last, state: "counted", key_file: join(cwd, "line.next.next") });
  expect((await run("line", "agents", String(agent))).stdout).toContain(`nothing any more; ${String(last)} acts for this agent now\n`);
  // At another second than the first time, because the same operation twice is one.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1000 });
  const ended = await run("line.next", "key", "rotate", String(agent)).finally(() => vi.useRealTimers());
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("key_revoked")]);
});

test("a key in the place of the one before it keeps its own next key, here and on other boards", async () => {
  const { agent_id: agent } = await good("seat", "keygen");
  await good("seat", "post", "note", "--title", "here I am");
  const { stdout } = await run("seat.next", "key", "rotate", String(agent));
  const { next } = await good("seat.next", "key", "show");
  // Runs the command as printed; then the next key is moved to another place.
  execFileSync("sh", ["-c", stdout.split("To use its place: ")[1] ?? "false"]);
  renameSync(join(cwd, "seat.next"), join(cwd, "seat in the drawer"));
  expect(await good("seat", "key", "commit")).toMatchObject({ state: "unchanged", next });
  await using other = await TestBoard.start();
  expect(await runAt(other, "seat", "post", "note", "--title", "here too")).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse((await runAt(other, "seat", "key", "show", "--json")).stdout)).toMatchObject({ next });
});

test("what was noted about a key says nothing about the one that took its place", async () => {
  const { agent_id: agent } = await good("stale", "keygen");
  await good("stale", "post", "note", "--title", "here I am");
  await good("stale.next", "key", "rotate", String(agent), "--no-next-file");
  renameSync(join(cwd, "stale.next"), join(cwd, "stale"));
  await good("stale", "post", "note", "--title", "here I am again");
  expect(await good("stale", "key", "show")).toMatchObject({ next: null, pending: null });
  expect(await good("stale", "key", "commit")).toMatchObject({ op: "commit" });
  renameSync(join(cwd, "stale.next"), join(cwd, "stale in the drawer"));
  expect(await good("stale", "key", "commit")).toMatchObject({ state: "unchanged" });
});

test("a duration over the limit of a week is refused before any work", async () => {
  await good("week", "keygen", "--no-next");
  await good("week", "post", "note", "--title", "here I am");
  for (const args of [
    ["key", "delegate", join(cwd, "kid"), "--for", "8d"],
    ["key", "delegate", join(cwd, "kid"), "--for", "169h"],
    ["key", "revoke", "--since", "8d"],
    ["key", "rotate", "ag_00000000000000000000", "--stolen", "8d"],
  ]) {
    const refused = await run("week", ...args);
    const [flag, given] = args.slice(-2);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`${flag} is at most 7d, not ${given}`)]);
  }
  expect(existsSync(join(cwd, "kid"))).toBe(false);
  for (const length of ["7d", "168h"])
    expect(await good("week", "key", "delegate", join(cwd, `kid ${length}`), "--for", length)).toMatchObject({ state: "counted" });
});

test("the next key can be 24 words on paper, and takes over from there", async () => {
  const made = (await good("paper", "keygen", "--words")) as { agent_id: string; words: string; next: string };
  expect(made.words.split(" ")).toHaveLength(24);
  expect(made).not.toHaveProperty("next_key_file");
  expect(existsSync(join(cwd, "paper.next"))).toBe(false);
  await good("paper", "post", "note", "--title", "here I am");
  expect(await good("paper", "key", "show")).toMatchObject({ next: made.next, operations: [{ type: "key_commit", state: "counted" }] });
  // The first key is lost. The words on paper are typed in, the first time with a typing error.
  const restore = async (typed: string) => {
    await using command = BoardProcess.spawn({ args: ["key", "restore", join(cwd, "taken"), "--json"], cwd, input: typed });
    return await command.ended;
  };
  const slip = await restore(withWrongChecksum(made.words.split(" ")).join("\n"));
  expect([slip.code, slip.stderr]).toEqual([1, expect.stringContaining("The words are not a valid key")]);
  const numbered = made.words.split(" ").map((word, i) => `${i + 1}. ${word.toUpperCase()}`);
  const { code, stdout } = await restore(numbered.join("\n"));
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { key_file: join(cwd, "taken") }]);
  expect(await good("taken", "key", "rotate", made.agent_id)).toMatchObject({ state: "counted" });
  // The words of any key file; of the next key unless given.
  expect(await good("taken", "key", "words", join(cwd, "taken"))).toMatchObject({ words: made.words });
  const table = (await run("taken", "key", "words")).stdout;
  expect(table.match(/^ {2} 1 [a-z]+ +2 [a-z]+ +3 [a-z]+ +4 [a-z]+$/m)).not.toBeNull();
  expect(table.trim().split("\n")).toHaveLength(6);
  expect((await run("printed", "keygen", "--words")).stdout).toMatch(/ 24 [a-z]+\n/);
});

test("a key without a next one commits when asked to; a commitment that was made stays as it is", async () => {
  expect(await good("plain", "keygen", "--no-next")).not.toHaveProperty("next_key_file");
  await good("plain", "post", "note", "--title", "plain");
  expect(await good("plain", "key", "show")).toMatchObject({ next: null, operations: [] });
  expect(await good("plain", "key", "commit", "--next-file", join(cwd, "plain.later"))).toMatchObject({ state: "counted" });
});
