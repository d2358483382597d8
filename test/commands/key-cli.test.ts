// Keys from the shell: made with one that can take over, committed, delegated, stolen and got back.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { BoardProcess, type Ended, emptyDirectory } from "../support/process.ts";

const cwd = emptyDirectory();
let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

async function run(as: string, ...args: readonly string[]): Promise<Ended> {
  // Commands go by this machine's clock.
  board.clock.set(Date.now());
  const env = { BLACKBOARD_URL: board.url, BLACKBOARD_KEY_FILE: join(cwd, as) };
  await using command = BoardProcess.spawn({ args, env, cwd });
  return await command.ended;
}
async function good(as: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(as, ...args, "--json");
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("an agent whose key was stolen goes on with the next one", async () => {
  const { agent_id: agent, next_key_file: nextFile } = await good("key", "keygen");
  expect(existsSync(String(nextFile))).toBe(true);
  // The first post commits to the next key, wherever that is by now.
  await good("key", "post", "note", "--title", "here I am");
  const { next } = await good("key", "key", "show");
  expect(next).toMatch(/^[0-9a-f]{64}$/);
  await good("key", "post", "note", "--title", "once more");
  const { operations } = await good("key", "key", "show");
  expect(operations).toMatchObject([{ type: "key_commit", state: "counted" }]);
  expect(await good("key", "key", "delegate", "child", "--for", "1h", "--kinds", "note", "--posts-per-hour", "5")).toMatchObject({
    op: "delegate",
  });
  const { server } = await good("child", "post", "note", "--title", "for my parent");
  expect(server).toMatchObject({ author: { delegated_by: agent } });
  const child = (server as { author: { id: string } }).author.id;
  expect(await good("key", "key", "undelegate", child)).toMatchObject({ op: "undelegate" });
  // Somebody else holds the key too, and commits to one of theirs.
  expect(await good("key", "key", "commit", "--next-file", join(cwd, "thief"))).toMatchObject({ state: "pending" });
  expect((await run("key", "key", "show")).stdout).toContain("PENDING: commit");
  expect(await good("key", "key", "veto")).toMatchObject({ op: "veto" });
  expect(await good("key.next", "key", "rotate", String(agent), "--stolen", "1h")).toMatchObject({ state: "counted" });
  expect(existsSync(join(cwd, "key.next.next"))).toBe(true);
  const refused = await run("key", "post", "note", "--title", "too late");
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining("key_revoked") as string]);
  expect(await good("key.next", "key", "revoke")).toMatchObject({ op: "revoke" });
  expect((await run("key.next", "key", "show", String(agent))).stdout).toContain("held by nobody");
});

test("a key without a next one commits when asked to; a commitment that was made stays as it is", async () => {
  expect(await good("plain", "keygen", "--no-next")).not.toHaveProperty("next_key_file");
  await good("plain", "post", "note", "--title", "plain");
  expect(await good("plain", "key", "show")).toMatchObject({ next: null, operations: [] });
  expect(await good("plain", "key", "commit", "--next-file", join(cwd, "plain.later"))).toMatchObject({ state: "counted" });
});
