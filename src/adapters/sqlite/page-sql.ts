// The statement for the rows of a page, or of one step of a scan.
import type { Condition } from "../../core/query/condition.ts";
import type { Position } from "../../core/query/order.ts";
import type { ListQuery } from "../../ports/store.ts";
import { Binder, conditionSql, rangeSql } from "../sql/condition.ts";
import type { SqlValue } from "../sql/dialect.ts";
import {
  areRoots,
  type HoldsMostly,
  isSeqRange,
  orderColumnOf,
  type SeqRange,
  TOMBSTONES_AS_MESSAGES,
} from "../sql/shared-listing-parts.ts";
import type { AccessPath } from "./access-path.ts";
import { SQLITE_DIALECT, threadOf } from "./dialect.ts";

/** How a listing is scanned; the same for all its steps. */
export interface ScanPlan extends ListQuery {
  /** The table of its rows; a listing of both scans each separately and merges them. */
  readonly source: "messages" | "gone";
  readonly conditions: readonly Condition[];
  readonly mostly: HoldsMostly;
  readonly path: AccessPath | undefined;
  /** Whether so few messages are within its range of seqs that all of them are read and sorted. */
  readonly sortsRange: boolean;
}

/** The part of a scan that one statement reads; other requests run between two of them. */
export interface ScanRange {
  readonly after: Position | undefined;
  readonly upTo: Position | undefined;
  readonly limit: number;
}

/** NO_SEQ comes before every seq, LAST_SEQ after every seq. */
export const NO_SEQ = -1;
export const LAST_SEQ = Number.MAX_SAFE_INTEGER;

interface PageSql {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The seqs of at most this many rows, with their position in the order of the listing if that is wanted. */
export function pageSql(
  { order, source, only, conditions, path, sortsRange }: ScanPlan,
  { after, upTo, limit }: ScanRange,
  columns: "seq" | "seq and position",
): PageSql {
  const binder = new Binder(SQLITE_DIALECT);
  const direction = order.descending ? "DESC" : "ASC";
  const byThread = order.key === "activity" && path === undefined && only === undefined && source === "messages";
  const messages = source === "gone" ? TOMBSTONES_AS_MESSAGES : "messages";

  let from = byThread ? messagesByThread(conditions) : `${messages} m`;
  if (path?.from !== undefined) from = `${path.from(binder)} d CROSS JOIN messages m ON m.seq = d.seq`;
  if (!byThread && order.key === "activity")
    from += ` LEFT JOIN threads t ON t.number = ${source === "gone" ? threadOf("m.root") : "m.thread"}`;
  // Seqs come from the leading table if there is one, so that its index gives bounds and order.
  const seq = path?.from === undefined ? "m.seq" : "d.seq";
  const where = conditions
    .filter((one) => !isSeqRange(one) && (path?.from === undefined || path.nearby || one !== path.condition))
    .map((one) => conditionSql(one, binder, path?.condition));
  if (only !== undefined) where.push(`m.seq IN (SELECT value FROM json_each(${binder.bind(JSON.stringify(only))}))`);
  const key = order.key === "seq" ? seq : orderColumnOf(order.key, source);
  // Inside a long run of equal keys, only bounds of seq tell an index where to start.
  const within = after !== undefined && upTo !== undefined && after.key === upTo.key && key !== seq;
  if (within) where.push(`${key} = ${binder.bind(after.key)}`);
  const bySeq = within || key === seq;
  if (after !== undefined && !bySeq) where.push(compared(key, seq, order.descending ? "<" : ">", after, binder));
  if (upTo !== undefined && !bySeq) where.push(compared(key, seq, order.descending ? ">=" : "<=", upTo, binder));
  // One range: of several, SQLite uses the first for its index and skips the rest row by row.
  const range = seqRange(conditions.filter(isSeqRange), bySeq ? { after, upTo, descending: order.descending } : undefined);
  // SQLite prefers a range of seqs to the index that has the order, and would sort the whole board for one page.
  const inOrderOfKey = !bySeq && !byThread && source === "messages" && path === undefined && only === undefined && !sortsRange;
  if (range !== undefined) where.push(rangeSql(inOrderOfKey ? `+${seq}` : seq, range, binder));
  const by = order.key === "seq" ? `${seq} ${direction}` : `${key} ${direction}, ${seq} ${direction}`;
  const sql = `SELECT ${columns === "seq" ? "m.seq" : `m.seq, ${orderColumnOf(order.key, source)} AS position`} FROM ${from} WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT +${binder.bind(limit)}`;
  return { sql, values: binder.values };
}

/** Messages in the order of their threads. Any message of a thread knows its root. */
export function messagesByThread(conditions: readonly Condition[]): string {
  const root = "m.id = (SELECT o.root FROM messages o WHERE o.thread = t.number LIMIT 1)";
  return `threads t CROSS JOIN messages m ON ${areRoots(conditions) ? root : "m.thread = t.number"}`;
}

/** The intersection of all these ranges of seq, and a step of the scan. */
function seqRange(
  ranges: readonly SeqRange[],
  scanned: (Pick<ScanRange, "after" | "upTo"> & { readonly descending: boolean }) | undefined,
): SeqRange | undefined {
  const { after, upTo, descending = false } = scanned ?? {};
  const [low, high] = descending ? [upTo?.seq, after && after.seq - 1] : [after && after.seq + 1, upTo?.seq];
  const min = Math.max(low ?? -Infinity, ...ranges.map((range) => range.min ?? -Infinity));
  const max = Math.min(high ?? Infinity, ...ranges.map((range) => range.max ?? Infinity));
  const bounds = { ...(min === -Infinity ? {} : { min }), ...(max === Infinity ? {} : { max }) };
  return Object.keys(bounds).length === 0 ? undefined : { is: "between", field: "seq", ...bounds };
}

/** Rows before or after a position of the scan. */
function compared(key: string, seq: string, how: "<" | ">" | "<=" | ">=", { key: value, seq: last }: Position, binder: Binder): string {
  const strictly = how.charAt(0);
  // Before or after a whole run of equal keys: no seq has to be compared.
  if (last === NO_SEQ || last === LAST_SEQ)
    return `${key} ${strictly}${(last === NO_SEQ) === (strictly === ">") ? "=" : ""} ${binder.bind(value)}`;
  return `(${key} ${strictly}= ${binder.bind(value)} AND (${key} ${strictly} ${binder.bind(value)} OR ${seq} ${how} ${binder.bind(last)}))`;
}
