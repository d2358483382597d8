// How a board's file gets from one version of its tables to the next.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { ITEMS_LEFT, LEFT_OF_THEM, OLD_INBOX_ITEMS, WITHOUT_ACTOR } from "../../../test/support/old-inbox-items.ts";
import { FIRST, THIRD } from "../../../test/support/schema-history.ts";
import { emptyDirectory } from "../../../test/support/process.ts";
import { migrate, versionOf } from "./migrate.ts";
import { databasePath, openDatabase } from "./open.ts";

const notes = (db: DatabaseSync) => db.prepare("SELECT * FROM notes").all();

test("a file of an older version keeps its rows and comes to the newest, each step once", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, FIRST);
  db.exec("INSERT INTO notes VALUES ('kept')");
  migrate(db, THIRD);
  migrate(db, THIRD);
  expect([versionOf(db), notes(db)]).toEqual([3, [{ text: "kept", words: 2, kind: null }]]);
  db.close();
});

test("a step that fails half way leaves the file as it was before that step", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, FIRST);
  db.exec("INSERT INTO notes VALUES ('kept')");
  const broken = { ...THIRD, steps: { ...THIRD.steps, 2: "UPDATE notes SET words = 99; SELECT * FROM nowhere;" } };
  expect(() => migrate(db, broken)).toThrow("nowhere");
  expect([versionOf(db), notes(db)]).toEqual([2, [{ text: "kept", words: 1 }]]);
  migrate(db, THIRD);
  expect([versionOf(db), notes(db)]).toEqual([3, [{ text: "kept", words: 2, kind: null }]]);
  db.close();
});

test("a file of a newer version, or of one that no step leads on from, is refused in words and left alone", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, THIRD);
  expect(() => migrate(db, FIRST)).toThrow("The database has schema 3; this program needs 1. A newer version of the program made it");
  expect(() => migrate(db, { ...THIRD, version: 9 })).toThrow("The database has schema 3; this program needs 9. A build from before");
  expect(() => migrate(db, { ...THIRD, version: 5, steps: { 4: "" } })).toThrow("cannot be converted");
  expect([versionOf(db), notes(db)]).toEqual([3, []]);
  db.close();
});

test("a database from before the first release is refused with what to do, by the board and by its readers, and nothing in it changes", () => {
  const path = databasePath(emptyDirectory());
  const older = new DatabaseSync(path);
  older.exec("CREATE TABLE messages (seq INTEGER PRIMARY KEY); INSERT INTO messages VALUES (1); PRAGMA user_version = 7");
  for (const use of ["read", "write"] as const)
    expect(() => openDatabase(path, use), use).toThrow("keep using that build, or start a new board in another --data directory");
  expect([versionOf(older), older.prepare("SELECT name FROM sqlite_schema").all()]).toEqual([7, [{ name: "messages" }]]);
  older.close();
});

test("the live messages of agents are counted on a board of schema 12", () => {
  using board = new BareBoard();
  const noted = (kind: string, title: string) => postAct(JSON.stringify({ v: 1, pk: AGENTS[0]!.pk, ts: 1, kind, title }));
  board.run([noted("note", "one"), noted("note", "two"), noted("x-other", "three")], Date.UTC(2026, 0, 1));
  const live = () => board.db.prepare("SELECT agent, label, count FROM agent_tallies WHERE field = 'live'").all();
  const counted = live();
  expect(counted).toEqual([{ agent: AGENTS[0]!.id, label: "", count: 3 }]);
  board.db.exec(`DELETE FROM agent_tallies WHERE field = 'live'; ${WITHOUT_ACTOR} PRAGMA user_version = 12`);
  openDatabase(databasePath(board.dir), "write").close();
  expect(live()).toEqual(counted);
});

test("of the inbox items on a board of schema 13 those are left that would be kept today", () => {
  using board = new BareBoard();
  board.db.exec(`${OLD_INBOX_ITEMS} PRAGMA user_version = 13`);
  openDatabase(databasePath(board.dir), "write").close();
  const left = board.db.prepare(ITEMS_LEFT).all();
  expect(left.map(({ seq, agent, actor }) => [seq, agent, actor])).toEqual(LEFT_OF_THEM);
});

test("who waited for somebody else's step does not take it again", () => {
  const dir = mkdtempSync(join(tmpdir(), "migrate-"));
  const [one, other] = [new DatabaseSync(join(dir, "board.db")), new DatabaseSync(join(dir, "board.db"))];
  migrate(one, FIRST);
  // The other comes FIRST, between the look at the version and the lock.
  const late = {
    ...THIRD,
    get steps() {
      if (versionOf(other) === 1) migrate(other, THIRD);
      return THIRD.steps;
    },
  };
  migrate(one, late);
  expect([versionOf(one), notes(one)]).toEqual([3, []]);
  one.close();
  other.close();
  rmSync(dir, { recursive: true });
});
