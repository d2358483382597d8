// Exports all rows of a PostgreSQL board to another store, and makes a new PostgreSQL board from another store's rows.
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { COPIED_TABLES, type RowBatch, ROWS_PER_BATCH } from "../sql/copied-tables.ts";
import { connectTo } from "./client.ts";

const NAME = "blackboard copy";
type Connection = ReturnType<typeof connectTo>;

async function withConnection<Result>(url: string, work: (sql: Connection) => Promise<Result>): Promise<Result> {
  // A large table takes longer than the statement timeout of a running board.
  const sql = connectTo({ url, connections: 1, name: NAME, session: { statement_timeout: 0, idle_in_transaction_session_timeout: 0 } });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns all rows of one consistent snapshot, however busy the board is. */
export function readRowBatches<Result>(url: string, take: (batches: AsyncIterable<RowBatch>) => Promise<Result>): Promise<Result> {
  return withConnection(url, (sql) =>
    sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", (transaction) => take(rowBatches(transaction))),
  ) as Promise<Result>;
}

async function* rowBatches(sql: Parameters<Parameters<Connection["begin"]>[1]>[0]): AsyncGenerator<RowBatch, void> {
  for (const table of COPIED_TABLES) {
    for await (const rows of sql.unsafe(`SELECT * FROM ${table}`).cursor(ROWS_PER_BATCH)) yield { table, rows: rows };
  }
}

/** Boards that are connected to the database now. */
export function nodesAt(url: string): Promise<number> {
  return withConnection(url, async (sql) => {
    const [row] = await sql.unsafe<{ nodes: number }[]>(
      "SELECT count(DISTINCT client_port)::int AS nodes FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'blackboard%' AND application_name <> $1",
      [NAME],
    );
    return row?.nodes ?? 0;
  });
}

/** Fills an empty board; all of it, or nothing if something fails. */
export function fillPostgres(url: string, batches: AsyncIterable<RowBatch> | Iterable<RowBatch>, pk: string): Promise<Head> {
  return withConnection(url, (sql) =>
    sql.begin(async (transaction) => {
      const [board] = await transaction.unsafe<{ seq: number; rows: number }[]>(
        "SELECT seq, (SELECT count(*)::int FROM messages) AS rows FROM board FOR UPDATE",
      );
      if (board === undefined || board.seq > 0 || board.rows > 0)
        throw new Error("There is a board in the database already. Give an empty one.");
      // A board that was started there and never written to has named its tree already.
      await transaction.unsafe("DELETE FROM tlog_names");
      for await (const { table, rows } of batches)
        await transaction.unsafe(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::text::json)`, [
          JSON.stringify(rows),
        ]);
      // Due at once, so that the first node computes the next due time itself.
      const [head] = await transaction.unsafe<Head[]>(
        `UPDATE board SET version = version + 1, pk = $1, next_due = 0, seq = last.seq, hash = last.hash, at = last.at
          FROM (SELECT seq, hash, at FROM log ORDER BY seq DESC LIMIT 1) last RETURNING board.seq, board.hash`,
        [pk],
      );
      if (head === undefined) throw new Error("The log is empty: there is nothing to copy.");
      return { seq: head.seq, hash: head.hash };
    }),
  );
}
