// The key of a board in a SQLite file: the database has its public half.
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "./open.ts";

/** The public half of the board's key; undefined if none is recorded yet. */
export async function knownBoardKey(path: string): Promise<string | undefined> {
  using db = openDatabase(path, "read");
  return recordedKey(db);
}

/** Sets the board's key. */
export function recordBoardKey(path: string, pk: string): void {
  if (isRecorded(path, pk)) return;
  using db = openDatabase(path, "write");
  putBoardKey(db, pk);
}

function isRecorded(path: string, pk: string): boolean {
  using db = openDatabase(path, "read");
  return recordedKey(db) === pk;
}

export function putBoardKey(db: DatabaseSync, pk: string): void {
  db.prepare("INSERT INTO board (one, pk) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET pk = excluded.pk").run(pk);
}

function recordedKey(db: DatabaseSync): string | undefined {
  return db.prepare("SELECT pk FROM board").get()?.["pk"] as string | undefined;
}
