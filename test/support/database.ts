// The board's database, opened by the test: to insert what only an operator can do, and to count the rows that a refusal left.
import { DatabaseSync } from "node:sqlite";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import { besidePostgres } from "./postgres/beside.ts";
import { databaseUrlOf } from "./postgres/database.ts";

type Value = string | number | null;
type Row = Record<string, unknown>;

/** Statements have `?` for values, on both databases. */
export interface Beside extends Disposable {
  /** The statement that lists the tables. */
  readonly tables: string;
  prepare(sql: string): { run(...values: Value[]): void; get(...values: Value[]): Row | undefined; all(...values: Value[]): Row[] };
  exec(sql: string): void;
  close(): void;
}

export function openBeside(dataDir: string): Beside {
  const url = databaseUrlOf(dataDir);
  return url === undefined ? besideSqlite(dataDir) : besidePostgres(url);
}

function besideSqlite(dataDir: string): Beside {
  const db = new DatabaseSync(databasePath(dataDir));
  db.exec("PRAGMA busy_timeout = 300000");
  return {
    tables: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    prepare(sql) {
      const statement = db.prepare(sql);
      return {
        run: (...values) => void statement.run(...values),
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      };
    },
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

/** The rows of each table. Equal counts before and after mean that nothing was partly stored. One statement, because each blocks its caller. */
export function rowCounts(db: Beside): Record<string, number> {
  const tables = db.prepare(db.tables).all();
  const counts = tables.map(({ name }) => `SELECT '${String(name)}' AS name, count(*) AS n FROM "${String(name)}"`);
  const rows = db.prepare(counts.join(" UNION ALL ")).all();
  return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]));
}

/** Inserts what is left of a message that the operator removed. */
export function plantRemoved(db: Beside, id: string, at: number, statement: string | null = null): void {
  db.prepare(
    `INSERT INTO gone (id, seq, author, kind, root, received_at, reason, at, statement, changed) VALUES (?, 0, 'ag_00000000000000000000', 'note', ?, ?, 'removed', ?, ?, 0)`,
  ).run(id, id, at, at, statement);
}

export function plantBlock(db: Beside, what: "key" | "blob", name: string): void {
  db.prepare("INSERT INTO blocks (what, name, action) VALUES (?, ?, 'sr_planted')").run(what, name);
}

export function plantAgent(db: Beside, agent: string, pk: string, blocked: boolean): void {
  db.prepare("INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?, ?, 0, 0, 0)").run(agent, pk);
  if (blocked) plantBlock(db, "key", agent);
}
