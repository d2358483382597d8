// Exports all rows of a SQLite board to another store, and makes a new SQLite board from another store's rows.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { COPIED_TABLES, type CopiedRow, type RowBatch, ROWS_PER_BATCH } from "../sql/copied-tables.ts";
import type { StoredTable } from "../sql/columns.ts";
import { putBoardKey } from "./board-identity.ts";
import { fileFault } from "./faults.ts";
import { openDatabase } from "./open.ts";

/** Only SQLite numbers threads and agents; another store knows them by their names. */
const READS: Readonly<Partial<Record<StoredTable, string>>> = {
  threads: `SELECT r.root, t.messages, t.last_activity FROM threads t
    JOIN (SELECT DISTINCT thread, root FROM messages) r ON r.thread = t.number`,
};
const OWN_COLUMNS = new Set(["number", "thread"]);

export function* portionsOf(db: DatabaseSync): Generator<RowBatch> {
  for (const table of COPIED_TABLES) {
    const sql = READS[table] ?? `SELECT ${columnsOf(db, table).map(quoted).join(", ")} FROM ${table}`;
    let rows: CopiedRow[] = [];
    for (const row of db.prepare(sql).iterate()) {
      rows.push(row as CopiedRow);
      if (rows.length < ROWS_PER_BATCH) continue;
      yield { table, rows };
      rows = [];
    }
    if (rows.length > 0) yield { table, rows };
  }
}

/** Makes a database of these rows; all of them, or none if something fails. `pk` is the board's key, if it is known. */
export async function fillDatabase(path: string, batches: AsyncIterable<RowBatch>, pk: string | undefined): Promise<void> {
  const db = openDatabase(path, "write");
  try {
    db.exec("BEGIN; CREATE TEMP TABLE named_threads (root TEXT PRIMARY KEY, messages INTEGER, last_activity INTEGER) WITHOUT ROWID;");
    const inserts = new Map<StoredTable, (row: CopiedRow) => void>();
    for await (const { table, rows } of batches) {
      let insert = inserts.get(table);
      if (insert === undefined) inserts.set(table, (insert = inserter(db, table)));
      for (const row of rows) insert(row);
    }
    db.exec(NUMBER_THREADS);
    if (pk !== undefined) putBoardKey(db, pk);
    // One file, like a snapshot: reading it needs no other files beside it, and leaves none.
    db.exec("COMMIT; PRAGMA journal_mode = DELETE;");
  } catch (error) {
    throw fileFault(error, path);
  } finally {
    db.close();
  }
}

/** A thread has the number of its first message here. */
const NUMBER_THREADS = `
CREATE TEMP TABLE firsts (root TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO firsts SELECT root, min(seq) FROM messages GROUP BY root;
UPDATE messages SET thread = (SELECT number FROM firsts f WHERE f.root = messages.root);
UPDATE gone SET thread = coalesce((SELECT number FROM firsts f WHERE f.root = gone.root), seq) WHERE id = root;
INSERT INTO threads (number, messages, last_activity) SELECT f.number, n.messages, n.last_activity FROM firsts f JOIN named_threads n ON n.root = f.root;
INSERT INTO strays (root, thread) SELECT root, number FROM firsts f
  WHERE NOT EXISTS (SELECT 1 FROM messages r WHERE r.id = f.root AND r.root = f.root)
  AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.id = f.root AND g.root = f.root);
`;

function inserter(db: DatabaseSync, table: StoredTable): (row: CopiedRow) => void {
  const into = table === "threads" ? "named_threads" : table;
  const columns = columnsOf(db, into);
  const fixed = table === "messages" ? ["thread"] : [];
  const names = [...columns, ...fixed].map(quoted).join(", ");
  const places = [...columns.map(() => "?"), ...fixed.map(() => "0")].join(", ");
  const statement: StatementSync = db.prepare(`INSERT INTO ${into} (${names}) VALUES (${places})`);
  return (row) => void statement.run(...columns.map((column) => row[column] ?? null));
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map((column) => String(column["name"]))
    .filter((name) => !OWN_COLUMNS.has(name));
}

const quoted = (name: string): string => `"${name}"`;
