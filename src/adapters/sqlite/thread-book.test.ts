import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { messageId } from "../../core/protocol/identity.ts";
import { databasePath, openDatabase } from "./open.ts";
import { SqliteThreads } from "./threads.ts";

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

let board: BareBoard;
beforeEach(() => (board = new BareBoard()));
afterEach(() => board[Symbol.dispose]());

/** A note that may reply to another; answers its id. */
const text = (body: string, reply?: string): string =>
  JSON.stringify({
    v: 1,
    pk: AGENTS[0]!.pk,
    ts: 1,
    kind: "note",
    body,
    ...(reply === undefined ? {} : { refs: [{ rel: "reply", id: reply }] }),
  });

function post(body: string, day: number, reply?: string): string {
  const payload = text(body, reply);
  expect(board.post(payload, START + day * DAY)).toBe("created");
  return messageId(payload);
}

const seqs = (root: string, day: number): number[] =>
  new SqliteThreads(board.db).branches(root, { after: 0, upTo: 1e9, limit: 100, now: START + day * DAY }).map(({ seq }) => seq);

test("a reply that comes before its target shares the thread with it", () => {
  const root = messageId(text("root"));
  post("early", 0, root);
  post("root", 0);
  post("late", 0, root);
  expect(seqs(root, 0)).toEqual([1, 2, 3]);
  expect(new SqliteThreads(board.db).extent(root)).toEqual({ messages: 3, lastSeq: 3 });
  expect(board.rows("threads")).toBe(1);
});

test("a thread stays one while it lives, even when its root has been forgotten", () => {
  const root = post("root", 0);
  let last = root;
  for (let day = 6; day <= 42; day += 6) last = post(`day ${day}`, day, last);
  board.sweep(START + 43 * DAY);
  expect(board.rows("gone", `id = '${root}'`)).toBe(0);
  post("to the root", 43, root);
  expect(seqs(root, 43)).toHaveLength(2);
  expect(board.rows("threads")).toBe(1);
  board.sweep(START + 60 * DAY);
  expect([board.rows("threads"), board.rows("strays")]).toEqual([0, 0]);
});

test("a thread that has ended begins again with a reply to what is left of it", () => {
  const root = post("root", 0);
  const reply = post("reply", 1, root);
  board.sweep(START + 9 * DAY);
  expect(board.rows("threads")).toBe(0);
  post("to the reply", 9, reply);
  post("to the root", 9, root);
  expect(seqs(root, 9)).toHaveLength(2);
  expect(board.rows("threads")).toBe(1);
});

/** What version 2 had in place of numbers. */
const VERSION_2 = `
CREATE TABLE old (root TEXT PRIMARY KEY, messages INTEGER NOT NULL, last_activity INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO old SELECT DISTINCT m.root, t.messages, t.last_activity FROM messages m JOIN threads t ON t.number = m.thread;
DROP TABLE threads; DROP TABLE strays; DROP INDEX messages_thread; DROP INDEX messages_open_work;
ALTER TABLE old RENAME TO threads;
CREATE INDEX threads_activity ON threads (last_activity, root);
CREATE INDEX messages_root ON messages (root, seq);
CREATE INDEX messages_open_work ON messages (root, seq) WHERE status = 'open' AND kind IN ('task', 'subtask', 'question');
CREATE INDEX labels_seq ON labels (seq);
ALTER TABLE messages DROP COLUMN thread;
ALTER TABLE gone DROP COLUMN thread;
CREATE TABLE old (id TEXT PRIMARY KEY, pk TEXT NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, messages INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO old SELECT id, pk, first_seen, last_seen, messages FROM agents;
DROP TABLE agents;
ALTER TABLE old RENAME TO agents;
CREATE INDEX agents_seen ON agents (last_seen, id);
PRAGMA user_version = 2;
`;

test("a board of the version before keeps its threads and agents", () => {
  const root = post("root", 0);
  post("reply", 3, root);
  const stray = messageId(text("never seen"));
  post("stray", 3, stray);
  board.sweep(START + 8 * DAY);
  const dir = mkdtempSync(join(tmpdir(), "upgrade-"));
  try {
    board.db.exec(`VACUUM INTO '${databasePath(dir)}'`);
    const old = new DatabaseSync(databasePath(dir));
    old.exec(VERSION_2);
    old.close();
    const db = openDatabase(databasePath(dir), "write");
    const threads = new SqliteThreads(db);
    for (const one of [root, stray]) expect(threads.extent(one)).toEqual(new SqliteThreads(board.db).extent(one));
    expect(db.prepare("SELECT id, last_seen, messages FROM agents").all()).toEqual(
      board.db.prepare("SELECT id, last_seen, messages FROM agents").all(),
    );
    db.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
