// Keys through client.py: made with a spare key, committed with the first post, delegated, stolen and recovered.
import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { PythonAgent } from "../support/python.ts";

let board: TestBoard;
let agent: PythonAgent;
beforeAll(async () => {
  board = await TestBoard.start();
  // The commands use this machine's clock.
  board.clock.set(Date.now());
  agent = new PythonAgent(board.url);
});
afterAll(async () => {
  agent[Symbol.dispose]();
  await board[Symbol.asyncDispose]();
});

interface Line {
  readonly current: string | null;
  readonly next: string | null;
  readonly pending: { readonly op: string } | null;
  readonly operations: readonly { readonly type: string; readonly state: string }[];
}
const run = async <Answer = Record<string, unknown>>(...args: readonly string[]): Promise<Answer> => {
  board.clock.set(Math.max(Date.now(), board.clock.now() + 1000));
  return agent.json<Answer>(...args);
};

test("the next key can be 24 words on paper, and takes over from there", async () => {
  const [lost, taken] = [join(agent.home, "lost.key"), join(agent.home, "taken.key")];
  const made = await run<{ agent_id: string; words: string; next: string }>("keygen", "--words", "--key-file", lost);
  expect([made.words.split(" ").length, existsSync(`${lost}.next`)]).toEqual([24, false]);
  await run("post", "note", "--title", "here I am", "--key-file", lost);
  expect((await run<Line>("key", "show", "--key-file", lost)).next).toBe(made.next);
  const slip = await agent.run(["key", "restore", taken], { input: made.words.replace(/^\w+/, "blackboard") });
  expect([slip.code, slip.stderr]).toEqual([1, expect.stringContaining("is not in the word list")]);
  expect(await agent.run(["key", "restore", taken], { input: made.words.toUpperCase().replaceAll(" ", "\n") })).toMatchObject({ code: 0 });
  expect(await run("key", "rotate", made.agent_id, "--key-file", taken)).toMatchObject({ state: "counted" });
  expect(await run("key", "words", taken)).toMatchObject({ words: made.words });
  expect((await agent.text("key", "words", "--key-file", taken)).trim().split("\n")).toHaveLength(6);
});

test("an agent whose key was stolen continues with the next one", async () => {
  const made = await run<{ agent_id: string; next_key_file: string; next: string }>("keygen");
  expect(existsSync(made.next_key_file)).toBe(true);
  // The first post commits, even if the next key was stored elsewhere before.
  const [elsewhere, child] = [join(agent.home, "elsewhere.key"), join(agent.home, "child.key")];
  renameSync(made.next_key_file, elsewhere);
  await run("post", "note", "--title", "here I am");
  await run("post", "note", "--title", "once more");
  const line = await run<Line>("key", "show");
  expect(line).toMatchObject({ current: made.agent_id, next: made.next, operations: [{ type: "key_commit", state: "counted" }] });

  await run("key", "delegate", child, "--for", "1h", "--kinds", "note", "--posts-per-hour", "5", "--ack");
  const { server } = await run<{ server: { author: { id: string } } }>("post", "note", "--title", "for my parent", "--key-file", child);
  expect(server.author).toMatchObject({ delegated_by: made.agent_id });
  await run("key", "undelegate", server.author.id);
  // A thief has the key too.
  expect(await run("key", "commit", "--next-file", join(agent.home, "thief.key"))).toMatchObject({ state: "pending" });
  expect((await run<Line>("key", "show")).pending).toMatchObject({ op: "commit" });
  await run("key", "veto");
  const rotated = await run<{ state: string }>("key", "rotate", made.agent_id, "--stolen", "1h", "--key-file", elsewhere);
  expect(rotated.state).toBe("counted");
  expect(existsSync(`${elsewhere}.next`)).toBe(true);
  expect(await agent.run(["post", "note", "--title", "too late"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("key_revoked") as string,
  });
  expect(await agent.text("key", "show", "--key-file", elsewhere)).toContain("key_rotate");
  await run("key", "revoke", "--since", "1h", "--key-file", elsewhere);
  expect((await run<Line>("key", "show", made.agent_id)).current).toBeNull();
});

test("a pending operation is shown in the inbox and with the agent; a rotated line is followed, and says where its key is", async () => {
  const [first, second, third] = [join(agent.home, "line"), join(agent.home, "line.next"), join(agent.home, "line.next.next")];
  const { agent_id: id } = await run<{ agent_id: string }>("keygen", "--key-file", first);
  await run("post", "note", "--title", "here I am", "--key-file", first);
  const asked = await run<{ id: string }>("ask", "Who goes on with this?", "--key-file", first);
  // Nothing to send if nothing would change.
  const before = await run<Line>("key", "show", "--key-file", first);
  expect(await run("key", "commit", "--key-file", first)).toMatchObject({ state: "unchanged", next: before.next, pending: null });
  expect(await agent.text("key", "commit", "--key-file", first)).toBe("This commitment is in force. Nothing was sent.\n");
  expect(await run<Line>("key", "show", "--key-file", first)).toEqual(before);
  const other = join(agent.home, "other");
  await run("key", "commit", "--next-file", other, "--key-file", first);
  expect(await agent.text("key", "commit", "--next-file", other, "--key-file", first)).toContain(
    "This commitment is pending and takes effect at",
  );
  for (const args of [["inbox"], ["agents", id], ["key", "show"]])
    expect(await agent.text(...args, "--key-file", first)).toContain(`PENDING     commit by ${id}, takes effect at `);
  expect(await run("inbox", "--key-file", first)).toMatchObject({ pending: { op: "commit", by: id }, messages: [] });
  await run("key", "veto", "--key-file", first);
  expect(await agent.text("inbox", "--key-file", first)).not.toContain("PENDING");
  expect(await run("inbox", "--key-file", first)).toEqual({ messages: [] });

  const output = await agent.text("key", "rotate", id, "--key-file", second);
  const who = await run<{ agent_id: string; key_file: string }>("whoami", "--key-file", second);
  expect(who.key_file).toBe(second);
  expect(output).toContain(`You are ${who.agent_id}. Its key is in ${second}: give --key-file`);
  expect(output).toContain(`The key that can take over from it is in ${third}`);
  expect(output).toContain(`${first} holds the old key, which signs nothing any more. To use its place: mv ${first} ${first}.old`);
  expect(await agent.run(["post", "note", "--title", "too late", "--key-file", first])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Sign with the key of ${who.agent_id}`) as string,
  });
  expect(await agent.text("agents", id)).toMatch(new RegExp(`^successor +${who.agent_id}: this key signs nothing any more$`, "m"));
  expect(await agent.text("agents", who.agent_id)).toMatch(new RegExp(`^predecessor +${id}$`, "m"));
  // The question of the old key belongs to the new one too.
  expect(await run("resolve", asked.id, "--key-file", second)).toMatchObject({ result: "created" });

  // The first id of the line still leads to its present key.
  const last = await run<{ agent: string; key_file: string }>("key", "rotate", id, "--no-next-file", "--key-file", third);
  expect(last).toMatchObject({ agent: who.agent_id, state: "counted", key_file: third });
  const show = await agent.text("key", "show", id);
  expect(show).toMatch(/^KEY +ROLE +UNTIL +DELEGATED BY/m);
  expect(show).toMatch(new RegExp(`^${who.agent_id} +own +20`, "m"));
  // Not byte for byte the first rotation: within its second, that would be answered as a repetition.
  expect(await agent.run(["key", "rotate", id, "--no-next-file", "--key-file", second])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("key_revoked") as string,
  });
});

test("a key in the place of the one before it keeps its own next key, here and on other boards", async () => {
  const seat = join(agent.home, "seat");
  const { agent_id: id } = await run<{ agent_id: string }>("keygen", "--key-file", seat);
  await run("post", "note", "--title", "here I am", "--key-file", seat);
  const output = await agent.text("key", "rotate", id, "--key-file", `${seat}.next`);
  const { next } = await run<Line>("key", "show", "--key-file", `${seat}.next`);
  // Runs the command as printed; then the next key is moved to another place.
  execFileSync("sh", ["-c", output.split("To use its place: ")[1] ?? "false"]);
  renameSync(`${seat}.next`, `${seat} in the drawer`);
  expect(await run("key", "commit", "--key-file", seat)).toMatchObject({ state: "unchanged", next });
  await using other = await TestBoard.start();
  other.clock.set(Date.now());
  await run("post", "note", "--title", "here too", "--key-file", seat, "--url", other.url);
  expect(await run<Line>("key", "show", "--key-file", seat, "--url", other.url)).toMatchObject({ next });
});

test("a duration over the limit of a week is refused before any work", async () => {
  const [week, kid] = [join(agent.home, "week"), join(agent.home, "kid")];
  await run("keygen", "--no-next", "--key-file", week);
  await run("post", "note", "--title", "here I am", "--key-file", week);
  for (const args of [
    ["key", "delegate", kid, "--for", "8d"],
    ["key", "delegate", kid, "--for", "169h"],
    ["key", "revoke", "--since", "8d"],
    ["key", "rotate", "ag_00000000000000000000", "--stolen", "8d"],
  ]) {
    const [flag, given] = args.slice(-2);
    const { code, stderr } = await agent.run([...args, "--key-file", week]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} is at most 7d, not ${given}`)]);
  }
  expect(existsSync(kid)).toBe(false);
  for (const length of ["7d", "168h"])
    expect(await run("key", "delegate", `${kid} ${length}`, "--for", length, "--key-file", week)).toMatchObject({ state: "counted" });
  // Its children are listed in the same form as by blackboard.
  const { children } = await run<{ children: string[] }>(
    "agents",
    (await run<{ agent_id: string }>("whoami", "--key-file", week)).agent_id,
  );
  const show = await agent.text("key", "show", "--key-file", week);
  for (const one of children) expect(show).toMatch(new RegExp(`^${one} +child +20\\S+ +ag_`, "m"));
});
