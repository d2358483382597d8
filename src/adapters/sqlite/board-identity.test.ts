// Whose a SQLite board is.
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { emptyDirectory } from "../../../test/support/process.ts";
import { knownBoardKey, recordBoardKey } from "./board-identity.ts";
import { databasePath, openDatabase } from "./open.ts";

const NOW = Date.UTC(2026, 0, 1);

test("a board knows the key that was recorded last", async () => {
  using board = new BareBoard();
  const path = databasePath(board.dir);
  const [one, other] = [new Agent(), new Agent()];
  board.post(JSON.stringify({ v: 1, pk: new Agent().pk, ts: 1, kind: "note", title: "an agent's" }), NOW);
  expect(knownBoardKey(path)).toBeUndefined();
  for (const { pk } of [one, other]) {
    recordBoardKey(path, pk);
    expect(knownBoardKey(path)).toBe(pk);
  }
});

/** A stopped board whose file has forgotten whose it is. */
async function forgetful() {
  const board = await TestBoard.start({ store: "sqlite" });
  await board.put(board.agent(), { kind: "note", title: "kept" });
  const id = await board.name();
  await board.stop();
  const { data, clock } = board;
  using db = openDatabase(databasePath(data), "write");
  db.exec("DELETE FROM board");
  const start = (...flags: string[]) => TestBoard.start({ data, clock, flags, store: "sqlite" });
  return { id, data, start };
}

test("a board whose file does not tell belongs to the key at hand, and does not start without one", async () => {
  const { id, data, start } = await forgetful();
  rmSync(join(data, "head.json"));
  const [key, away] = [join(data, "board.key"), join(emptyDirectory(), "board.key")];
  renameSync(key, away);
  await expect(start()).rejects.toThrow(`has a key already, but there is no key at ${key}. Restore its board.key`);
  expect(existsSync(key)).toBe(false);
  renameSync(away, key);
  await using board = await start();
  expect(await board.name()).toBe(id);
});
