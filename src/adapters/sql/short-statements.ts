// Reads that would take long in one statement, cut into short ones: other requests run in between, and the caller pays for each.
import { nextSlice } from "../../ports/cpu-slices.ts";

/** Unless more are asked for, a statement looks at no more rows than this. */
const MOST_ROWS = 512;

type Found<Row> = readonly Row[] | Promise<readonly Row[]>;

/** Reads for a few values at a time, and returns all rows. */
export async function fewAtATime<Value, Row>(
  values: readonly Value[],
  few: number,
  read: (some: readonly Value[]) => Found<Row>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let at = 0; at < values.length; at += few) {
    if (at > 0) await nextSlice();
    found.push(...(await read(values.slice(at, at + few))));
  }
  return found;
}

/**
 * Walks rows in their order until so many of them fit, and returns these. `read` returns the next rows after one, whether they fit or not,
 * in no more than the given number.
 */
export async function firstFitting<Row>(
  limit: number,
  read: (after: Row | undefined, most: number) => Found<Row & { readonly fits: number }>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  let last: Row | undefined;
  for (let most = limit; ; most = Math.min(2 * most, Math.max(limit, MOST_ROWS))) {
    if (last !== undefined) await nextSlice();
    const rows = await read(last, most);
    found.push(...rows.filter(({ fits }) => fits === 1));
    if (found.length >= limit || rows.length < most) return found.slice(0, limit);
    last = rows.at(-1);
  }
}
