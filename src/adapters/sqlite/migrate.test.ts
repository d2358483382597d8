// How a board's file gets from one version of its tables to the next.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { messageId } from "../../core/protocol/identity.ts";
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
const START = Date.UTC(2026, 0, 1);
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

/** From the newest version back to the tables of the first edition. */
const FIRST_EDITION = `
  DROP TABLE board; DROP INDEX messages_claimed; DROP INDEX tallies_spellings; DROP TABLE barred; CREATE INDEX signals_seq ON signals (seq);
  ALTER TABLE messages RENAME COLUMN rejected TO answers_disputed;
  ALTER TABLE aliases DROP COLUMN last_ops; ALTER TABLE labels DROP COLUMN spelling; ALTER TABLE log DROP COLUMN assisted; ALTER TABLE messages DROP COLUMN signal;
  ALTER TABLE switches DROP COLUMN pow_at_once;
  PRAGMA user_version = 4;`;

test("a board's file of an older version has the same tables afterwards as a new one", () => {
  const tables = (db: DatabaseSync) =>
    db
      .prepare(
        "SELECT m.type, m.name, c.name AS column, c.type AS kind FROM sqlite_master m LEFT JOIN pragma_table_xinfo(m.name) c ORDER BY 1, 2, 3",
      )
      .all();
  const fresh = new DatabaseSync(":memory:");
  migrate(fresh, HISTORY);
  const older = new DatabaseSync(":memory:");
  migrate(older, HISTORY);
  older.exec(`${FIRST_EDITION} DROP TABLE withdrawals; PRAGMA user_version = 3`);
  migrate(older, HISTORY);
  expect(tables(older)).toEqual(tables(fresh));
  expect(versionOf(older)).toBe(HISTORY.version);
  fresh.close();
  older.close();
});

test("work of the first edition has the status that the newer rules give it, and its labels the newer form", () => {
  using board = new BareBoard();
  const { db } = board;
  const text = (agent: number, fields: object) => JSON.stringify({ v: 1, pk: AGENTS[agent]!.pk, ts: 1, body: "text", ...fields });
  const put = (agent: number, fields: object): string => {
    expect(board.post(text(agent, fields), START)).toBe("created");
    return messageId(text(agent, fields));
  };
  const [rejected, kept, unanswered, leased] = ["one", "two", "three", "four"].map((title) =>
    put(0, { kind: "task", title, tags: ["ﬁne"] }),
  );
  const answer = put(1, { kind: "answer", refs: [rejected, kept].map((id) => ({ rel: "answers", id })) });
  put(2, { kind: "answer", title: "another", refs: [{ rel: "answers", id: kept }] });
  put(3, { kind: "verification", refs: [{ rel: "refutes", id: answer }] });
  put(3, { kind: "verification", refs: [{ rel: "refutes", id: unanswered }] });
  put(1, { kind: "claim", refs: [{ rel: "claims", id: leased }] });
  const ended = put(0, { kind: "task", title: "five" });
  const claim = put(1, { kind: "claim", title: "of five", refs: [{ rel: "claims", id: ended }] });
  put(0, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: claim }] });
  put(0, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id: kept }] });
  const facts = () => ({
    messages: db
      .prepare("SELECT id, status, answers, answers_verified, rejected, signal, claimed_by, lease_until FROM messages ORDER BY seq")
      .all(),
    tallies: db.prepare("SELECT field, label, count FROM tallies WHERE field NOT IN ('posted', 'hour') ORDER BY 1, 2").all(),
    agents: db.prepare("SELECT * FROM agent_tallies ORDER BY 1, 2, 3").all(),
    labels: db.prepare("SELECT * FROM labels ORDER BY 1, 2, 3").all(),
    barred: db.prepare("SELECT * FROM barred").all(),
    answerers: db.prepare("SELECT * FROM answerers ORDER BY 1, 2, 3").all(),
  });
  const before = facts();
  // As the first edition had it: every answer counted, votes on unanswered work too, and labels as they were written.
  db.exec(`${FIRST_EDITION}
    UPDATE messages SET answers = 1, answers_disputed = 1, status = 'disputed' WHERE id = '${rejected}';
    UPDATE messages SET answers = 2, answers_disputed = 1 WHERE id = '${kept}';
    UPDATE messages SET status = 'disputed' WHERE id = '${unanswered}';
    UPDATE messages SET status = 'claimed', claimed_by = '${AGENTS[1]!.id}', lease_until = ${START} + 1, claim_seq = 1 WHERE id = '${ended}';
    UPDATE agent_tallies SET count = count + 1 WHERE field = 'work' AND label = 'claimed';
    INSERT OR IGNORE INTO answerers SELECT t.seq, a.author, a.seq FROM messages t, messages a WHERE t.id IN ('${rejected}', '${kept}') AND a.id = '${answer}';
    INSERT INTO agent_tallies VALUES ('${AGENTS[1]!.id}', 'work', 'resolved', 1);
    UPDATE tallies SET count = count + 7 WHERE field IN ('status', 'work');
    UPDATE labels SET label = 'ﬁne'; DELETE FROM tallies WHERE field = 'tag_as'; UPDATE tallies SET label = 'ﬁne' WHERE field = 'tag';`);
  migrate(db, HISTORY);
  expect(facts()).toEqual(before);
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
