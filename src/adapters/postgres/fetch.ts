// Fetching what a batch misses: whatever it is, one statement brings all of it, and says where the board stands.
import { StoreFailure } from "../../ports/store.ts";
import type { Client, Value } from "./client.ts";

export interface BoardRow {
  readonly version: number;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
  readonly nextDue: number | null;
  readonly prunedAt: number;
}

/** Rows that are missing: the statement for them, its values, and who keeps what it finds. */
export interface Want {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly keep: (rows: readonly unknown[]) => void;
}

/** None where nothing is missing; `keep` hears the keys that were asked for, and the rows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of the rows it asks for.
export function want<Row>(
  { missing }: { readonly missing: ReadonlySet<string> },
  sql: string,
  list: (keys: readonly string[]) => string,
  keep: (keys: readonly string[], rows: readonly Row[]) => void,
): readonly Want[] {
  if (missing.size === 0) return [];
  const keys = [...missing];
  return [{ sql, values: [list(keys)], keep: (rows) => keep(keys, rows as readonly Row[]) }];
}

/** Everything as of one moment: the rows belong to the version of the board that comes with them. */
export async function fetchAll(client: Client, wants: readonly Want[]): Promise<BoardRow> {
  const values: Value[] = [];
  const columns = wants.map(({ sql, values: own }, i) => {
    const before = values.length;
    values.push(...own);
    const numbered = sql.replaceAll(/\$(\d+)/g, (_, n: string) => `$${before + Number(n)}`);
    // As one JSON text for each kind of row: a statement costs more than the rows of a small batch.
    return `, (SELECT json_agg(w) FROM (${numbered}) w)::text AS "${i}"`;
  });
  const [row] = await client.ask<BoardRow & Readonly<Record<string, string | null>>>(
    `SELECT b.version, b.seq, b.hash, b.at, b.next_due AS "nextDue", b.pruned_at AS "prunedAt"${columns.join("")} FROM board b WHERE b.one = 1`,
    values,
  );
  if (row === undefined) throw new StoreFailure("storage_unavailable", "The database holds no board.");
  for (const [i, { keep }] of wants.entries()) keep(JSON.parse(row[i] ?? "[]") as readonly unknown[]);
  return row;
}

/** Each key with what belongs to it. */
export function grouped<Row, One>(rows: readonly Row[], key: (row: Row) => string, one: (row: Row) => One): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group === undefined) groups.set(key(row), [one(row)]);
    else group.push(one(row));
  }
  return groups;
}
