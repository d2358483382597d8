// Records in a SQLite file whose board it is.
import type { DatabaseSync } from "node:sqlite";
import type { TlogName } from "../../ports/tlog-identity.ts";
import { ADD_TLOG_NAME, SELECT_BOARD_KEY, tlogNameValues } from "../sql/board-identity.ts";
import { prepared } from "./dialect.ts";
import { openDatabase } from "./open.ts";

/** The public half of the board's key; undefined if none is recorded yet. */
export function knownBoardKey(path: string): string | undefined {
  using db = openDatabase(path, "read");
  return db.prepare(SELECT_BOARD_KEY).get()?.["pk"] as string | undefined;
}

/** Sets the board's key. */
export function recordBoardKey(path: string, pk: string): void {
  if (knownBoardKey(path) === pk) return;
  using db = openDatabase(path, "write");
  putBoardKey(db, pk);
}

export function putBoardKey(db: DatabaseSync, pk: string): void {
  db.prepare("INSERT INTO board (one, pk) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET pk = excluded.pk").run(pk);
}

export function recordTlogName(path: string, name: TlogName): void {
  using db = openDatabase(path, "write");
  prepared(db, ADD_TLOG_NAME).run(...tlogNameValues(name));
}
