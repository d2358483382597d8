// How a board's file gets from one version of its tables to the next.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrate, type SchemaHistory } from "./migrate.ts";
import { HISTORY } from "./schema.ts";

const first: SchemaHistory = { version: 1, schema: "CREATE TABLE notes (text TEXT);", upgrades: {} };
const third: SchemaHistory = {
  version: 3,
  schema: "CREATE TABLE notes (text TEXT, words INTEGER, kind TEXT);",
  upgrades: {
    1: "ALTER TABLE notes ADD COLUMN words INTEGER; UPDATE notes SET words = 1;",
    2: "ALTER TABLE notes ADD COLUMN kind TEXT; UPDATE notes SET words = words + 1;",
  },
};
const versionOf = (db: DatabaseSync) => db.prepare("PRAGMA user_version").get()?.["user_version"];
const notes = (db: DatabaseSync) => db.prepare("SELECT * FROM notes").all();

test("a file of an older version keeps its rows and comes to the newest, each step once", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, first);
  db.exec("INSERT INTO notes VALUES ('kept')");
  migrate(db, third);
  migrate(db, third);
  expect([versionOf(db), notes(db)]).toEqual([3, [{ text: "kept", words: 2, kind: null }]]);
  db.close();
});

test("a step that fails half way leaves the file as it was before that step", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, first);
  db.exec("INSERT INTO notes VALUES ('kept')");
  const broken = { ...third, upgrades: { ...third.upgrades, 2: "UPDATE notes SET words = 99; SELECT * FROM nowhere;" } };
  expect(() => migrate(db, broken)).toThrow("nowhere");
  expect([versionOf(db), notes(db)]).toEqual([2, [{ text: "kept", words: 1 }]]);
  migrate(db, third);
  expect([versionOf(db), notes(db)]).toEqual([3, [{ text: "kept", words: 2, kind: null }]]);
  db.close();
});

test("a file of a newer version, or of one that no step leads on from, is refused in words and left alone", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, third);
  expect(() => migrate(db, first)).toThrow("The database has schema 3; this program speaks 1.");
  expect(() => migrate(db, { ...third, version: 4 })).toThrow("Use the matching version.");
  expect(versionOf(db)).toBe(3);
  db.close();
});

test("a board's file of the version before has the same tables afterwards as a new one", () => {
  const tables = (db: DatabaseSync) => db.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
  const fresh = new DatabaseSync(":memory:");
  migrate(fresh, HISTORY);
  const older = new DatabaseSync(":memory:");
  migrate(older, HISTORY);
  older.exec("DROP TABLE withdrawals; PRAGMA user_version = 3");
  migrate(older, HISTORY);
  expect(tables(older)).toEqual(tables(fresh));
  expect(versionOf(older)).toBe(HISTORY.version);
  fresh.close();
  older.close();
});

test("who waited for somebody else's step does not take it again", () => {
  const dir = mkdtempSync(join(tmpdir(), "migrate-"));
  const [one, other] = [new DatabaseSync(join(dir, "board.db")), new DatabaseSync(join(dir, "board.db"))];
  migrate(one, first);
  // The other comes first, between the look at the version and the lock.
  const late = {
    ...third,
    get upgrades() {
      if (versionOf(other) === 1) migrate(other, third);
      return third.upgrades;
    },
  };
  migrate(one, late);
  expect([versionOf(one), notes(one)]).toEqual([3, []]);
  one.close();
  other.close();
  rmSync(dir, { recursive: true });
});
