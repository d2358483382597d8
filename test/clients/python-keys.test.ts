// Keys through client.py: made with one that can take over, committed with the first post, delegated, stolen and got back.
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { PythonAgent } from "../support/python.ts";

let board: TestBoard;
let agent: PythonAgent;
beforeAll(async () => {
  board = await TestBoard.start();
  // Commands go by this machine's clock.
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

test("an agent whose key was stolen goes on with the next one", async () => {
  const made = await run<{ agent_id: string; next_key_file: string; next: string }>("keygen");
  expect(existsSync(made.next_key_file)).toBe(true);
  // The first post commits, also where the next key was put elsewhere before.
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
  // Somebody else holds the key too.
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
