// Whose a SQLite board is, also one from before the file knew: told by what only its key can have signed.
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { emptyDirectory } from "../../../test/support/process.ts";
import { checkpointPayload } from "../../core/log/checkpoint.ts";
import { makeBoardKey } from "../system/board-key.ts";
import { knownBoardKey, recordBoardKey } from "./board-key.ts";
import { databasePath, openDatabase } from "./open.ts";

const NOW = Date.UTC(2026, 0, 1);

/** As a board of that key leaves it. */
function writeHead(dir: string, by: Agent, claimed = by): void {
  const head = { seq: 0, hash: "0".repeat(64) };
  const payload = checkpointPayload("http://board.test", head, 1);
  const checkpoint = { payload, sig: by.sign(payload), pk: claimed.pk, board: claimed.id, ...head, at: "2026-01-01T00:00:00.000Z" };
  writeFileSync(join(dir, "head.json"), JSON.stringify(checkpoint));
}
const email = (by: Agent): string => JSON.stringify({ v: 1, pk: by.pk, ts: 1, kind: "email", title: "mail" });

test("what is recorded counts before the last signed head, that before the board's own messages, and nothing else tells", async () => {
  using board = new BareBoard();
  const path = databasePath(board.dir);
  const [posting, signing, recorded] = [new Agent(), new Agent(), new Agent()];
  board.post(JSON.stringify({ v: 1, pk: new Agent().pk, ts: 1, kind: "note", title: "an agent's" }), NOW);
  expect(await knownBoardKey(path)).toBeUndefined();
  board.post(email(posting), NOW);
  expect(await knownBoardKey(path)).toBe(posting.pk);
  writeHead(board.dir, posting, signing);
  expect(await knownBoardKey(path), "a head that its key did not sign").toBe(posting.pk);
  writeHead(board.dir, signing);
  expect(await knownBoardKey(path)).toBe(signing.pk);
  recordBoardKey(path, recorded.pk);
  expect(await knownBoardKey(path)).toBe(recorded.pk);
});

test("a file of the version before knows as much, and is brought up to date when the key is recorded", async () => {
  using board = new BareBoard();
  const path = databasePath(board.dir);
  const own = new Agent();
  board.db.exec("DROP TABLE board; PRAGMA user_version = 6");
  writeHead(board.dir, own);
  expect(await knownBoardKey(path)).toBe(own.pk);
  recordBoardKey(path, own.pk);
  writeHead(board.dir, new Agent());
  expect(await knownBoardKey(path)).toBe(own.pk);
});

/** A stopped board whose file has forgotten whose it is. */
async function older() {
  const board = await TestBoard.start({ store: "sqlite" });
  await board.put(board.agent(), { kind: "note", title: "kept" });
  const id = await board.name();
  await board.stop();
  const { data, clock } = board;
  using db = openDatabase(databasePath(data), "write");
  db.exec("DROP TABLE board; PRAGMA user_version = 6");
  const other = join(emptyDirectory(), "other.key");
  makeBoardKey(other);
  const start = (...flags: string[]) => TestBoard.start({ data, clock, flags, store: "sqlite" });
  return { id, data, other, start };
}

test("a board from before starts with the key that signed its last head and no other, and remembers it without that head", async () => {
  const { id, data, other, start } = await older();
  await expect(start("--key-file", other)).rejects.toThrow(`is ${id}`);
  await (await start()).stop();
  rmSync(join(data, "head.json"));
  await expect(start("--key-file", other)).rejects.toThrow(`is ${id}`);
});

test("a board from before that never signed a head belongs to the key at hand, and does not start without one", async () => {
  const { id, data, start } = await older();
  rmSync(join(data, "head.json"));
  const [key, away] = [join(data, "board.key"), join(emptyDirectory(), "board.key")];
  renameSync(key, away);
  await expect(start()).rejects.toThrow(`has a key already, but there is no key at ${key}. Restore its board.key`);
  expect(existsSync(key)).toBe(false);
  renameSync(away, key);
  await using board = await start();
  expect(await board.name()).toBe(id);
});
