// Whose key signs for a board in a SQLite file: the database knows its public half.
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { HEAD_FILE, headFile, isSigned } from "../system/head-file.ts";
import { openDatabase } from "./open.ts";

/**
 * The public half of the board's key; undefined where nobody can tell. A board from before it was recorded has proved it with the last head
 * that it signed, or with a message of the kind that only the board itself posts.
 */
export async function knownBoardKey(path: string): Promise<string | undefined> {
  using db = openDatabase(path, "read");
  const recorded = recordedKey(db);
  if (recorded !== undefined) return recorded;
  const head = await headFile(join(dirname(path), HEAD_FILE)).read();
  return head !== undefined && isSigned(head) ? head.pk : ownPost(db);
}

/** From now on the board is the one with this key. */
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
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'board'").get() !== undefined;
  return hasTable ? (db.prepare("SELECT pk FROM board").get()?.["pk"] as string | undefined) : undefined;
}

function ownPost(db: DatabaseSync): string | undefined {
  const newest = db.prepare(
    "SELECT payload ->> '$.pk' AS pk FROM messages JOIN contents USING (seq) WHERE kind = 'email' ORDER BY seq DESC LIMIT 1",
  );
  return newest.get()?.["pk"] as string | undefined;
}
