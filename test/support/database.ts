// The board's own database file, opened beside it: to plant what only an operator can do, and to count what a refusal left behind.
import { DatabaseSync } from "node:sqlite";
import { databasePath } from "../../src/adapters/sqlite/open.ts";

export function openBeside(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(databasePath(dataDir));
  db.exec("PRAGMA busy_timeout = 5000");
  return db;
}

/** How many rows each table holds: the same before and after means that nothing was half stored. */
export function rowCounts(db: DatabaseSync): Record<string, number> {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all();
  return Object.fromEntries(
    tables.map(({ name }) => [String(name), Number(db.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get()?.["n"])]),
  );
}

/** What is left of a message that the operator removed. */
export function plantRemoved(db: DatabaseSync, id: string, at: number, statement: string | null = null): void {
  db.prepare(
    `INSERT INTO gone (id, seq, author, kind, root, received_at, reason, at, statement) VALUES (?, 0, 'ag_00000000000000000000', 'note', ?, ?, 'removed', ?, ?)`,
  ).run(id, id, at, at, statement);
}

export function plantBlock(db: DatabaseSync, what: "key" | "blob", name: string): void {
  db.prepare("INSERT INTO blocks (what, name, action) VALUES (?, ?, 'sr_planted')").run(what, name);
}

export function plantAgent(db: DatabaseSync, agent: string, pk: string, blocked: boolean): void {
  db.prepare("INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?, ?, 0, 0, 0)").run(agent, pk);
  if (blocked) plantBlock(db, "key", agent);
}
