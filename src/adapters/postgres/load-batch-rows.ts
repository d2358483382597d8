// Fetches what a batch misses: one statement returns all of it, with the state of the board.
import { StoreFailure } from "../../ports/store.ts";
import { EARLY_REPLIES, type Load, type LoadDialect, LOADS, keyParts } from "../sql/batch/load-statements.ts";
import { WINDOWS } from "../sql/batch/first-rows-statements.ts";
import type { TableName, WorkingSet } from "../sql/batch/working-set.ts";
import { STATE_COLUMNS } from "../sql/rows.ts";
import type { Client, Value } from "./client.ts";
import { numberArray, textArray } from "./array-literals.ts";

export interface BoardRow {
  readonly version: number;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
  readonly nextDue: number | null;
  readonly prunedAt: number;
  readonly frontier: string | null;
}

/** Missing rows: the statement for them, its values, and where to put the result. */
interface Want {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly keep: (rows: readonly unknown[]) => void;
}

const DIALECT: LoadDialect = {
  among: (column, type) => `${column} = ANY ($1::${type}[])`,
  keys: (columns) =>
    `json_to_recordset($1::text::json) AS k (${Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(", ")})`,
  limit: (place) => `$${place}`,
  threads: `SELECT root, messages, last_activity AS "lastActivity" FROM threads WHERE root = ANY ($1::text[])`,
  earlyReplies: `SELECT t.target, f.*
    FROM unnest($1::text[]) AS t (target) CROSS JOIN LATERAL (
      SELECT ${STATE_COLUMNS} FROM refs r JOIN messages m ON m.seq = r.seq
      WHERE r.target = t.target AND r.rel = 'reply' ORDER BY r.seq LIMIT ${EARLY_REPLIES}
    ) f`,
  labels: "SELECT seq, field, label, coalesce(spelling, label) AS spelling FROM labels WHERE seq = ANY ($1::bigint[])",
};

const listOf = (key: Load["key"], keys: readonly string[]): string => {
  if (key === "text") return textArray(keys);
  if (key === "bigint") return numberArray(keys.map(Number));
  return JSON.stringify(keys.map((one) => keyParts(key, one)));
};

function* wantsOf(set: WorkingSet): Generator<Want> {
  for (const [name, { key, sql, keep }] of Object.entries(LOADS) as [TableName, Load][]) {
    const keys = [...set[name].missing];
    if (keys.length > 0) yield { sql: sql(DIALECT), values: [listOf(key, keys)], keep: (rows) => keep(set, keys, rows) };
  }
  for (const open of set.windows) {
    const { sql, values } = WINDOWS[open.name];
    const { wanted } = open.window;
    if (wanted > 0) yield { sql: sql(DIALECT), values: [...values(set, open.withdrawal), wanted], keep: (rows) => open.keep(rows, wanted) };
  }
}

/** A statement of PostgreSQL has room for 1,664 results. What is left over is fetched in the next round. */
const MOST_WANTS = 512;

/** Returns the state of the board at that time: the rows belong to that version. */
export async function loadMissing(client: Client, set: WorkingSet): Promise<BoardRow> {
  const wants = [...wantsOf(set)].slice(0, MOST_WANTS);
  const values: Value[] = [];
  const columns = wants.map(({ sql, values: own }, i) => {
    const before = values.length;
    values.push(...own);
    const numbered = sql.replaceAll(/\$(\d+)/g, (_, n: string) => `$${before + Number(n)}`);
    // As one JSON text for each kind of row: a statement costs more than the rows of a small batch.
    return `, (SELECT json_agg(w) FROM (${numbered}) w)::text AS "${i}"`;
  });
  const [row] = await client.ask<BoardRow & Readonly<Record<string, string | null>>>(
    `SELECT b.version, b.seq, b.hash, b.at, b.next_due AS "nextDue", b.pruned_at AS "prunedAt", b.frontier${columns.join("")} FROM board b WHERE b.one = 1`,
    values,
  );
  if (row === undefined) throw new StoreFailure("storage_unavailable", "The database holds no board.");
  for (const [i, { keep }] of wants.entries()) keep(JSON.parse(row[i] ?? "[]") as readonly unknown[]);
  set.isKnown = true;
  return row;
}
