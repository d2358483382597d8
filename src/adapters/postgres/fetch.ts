// Fetching the rows of a table that a batch misses.
import type { Client } from "./client.ts";

/** Asks only where something is missing; `keep` hears the keys that were asked for, and the rows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of the rows it asks for.
export async function ask<Row>(
  client: Client,
  { missing }: { readonly missing: ReadonlySet<string> },
  statement: string,
  list: (keys: readonly string[]) => string,
  keep: (keys: readonly string[], rows: readonly Row[]) => void,
): Promise<void> {
  if (missing.size === 0) return;
  const keys = [...missing];
  keep(keys, await client.query<Row>(statement, [list(keys)]));
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
