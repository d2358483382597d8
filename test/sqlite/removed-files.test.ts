// Files that are removed or moved under a running board: no post is acknowledged into a file that nobody can find any more.
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { emptyDirectory } from "../support/process.ts";
import { expectRefusal } from "../support/refusal.ts";

const NOTE = { kind: "note", body: "x" };
const linesOf = (log: readonly string[]) =>
  log.map((line) => JSON.parse(line) as Record<string, string>).filter(({ msg }) => msg?.startsWith("writing") === true);

test.each(["board.db", "board.db-wal", "board.db-shm"])(
  "%s is removed: posts are refused at once, readers go on, and the log says once what to do",
  async (name) => {
    const log: string[] = [];
    await using board = await TestBoard.start({ store: "sqlite", log });
    const { id } = await board.put(board.agent(), NOTE);
    rmSync(join(board.data, name));
    for (let i = 0; i < 3; i++) expectRefusal(await board.post(board.agent(), NOTE), 503, "storage_unavailable");
    board.clock.advance(5000);
    expect((await board.get(`/api/messages/${id}`)).status).toBe(200);
    expectRefusal(await board.get("/readyz/writing"), 503, "storage_unavailable");
    expect((await board.get<string>("/metrics")).body).toMatch(/^blackboard_writable 0$/m);
    expect(linesOf(log)).toEqual([expect.objectContaining({ level: "error", code: "storage_unavailable" })]);
    expect(linesOf(log)[0]?.["reason"]).toContain(`${join(board.data, name)} was removed, moved or replaced while the board runs`);
  },
);

test("a database that is moved away is noticed without a post, and the board continues when it is back", async () => {
  const log: string[] = [];
  await using board = await TestBoard.start({ store: "sqlite", log });
  await board.put(board.agent(), NOTE);
  const [path, away] = [join(board.data, "board.db"), join(emptyDirectory(), "board.db")];
  renameSync(path, away);
  const writing = async () => (await board.get("/readyz/writing")).status;
  await eventually("the probe", async () => {
    board.clock.advance(1000);
    return (await writing()) === 503 ? true : undefined;
  });
  renameSync(away, path);
  await eventually("the probe", async () => {
    board.clock.advance(1000);
    return (await writing()) === 200 ? true : undefined;
  });
  expect((await board.post(board.agent(), NOTE)).status).toBe(201);
  expect(linesOf(log).map(({ msg }) => msg)).toEqual([expect.stringMatching(/^writing has stopped/), "writing works again"]);
});
