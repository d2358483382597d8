// The statement for the rows of a page. It fixes the access path, so that the planner has nothing to guess.
import type { Condition } from "../../core/query/condition.ts";
import type { Position } from "../../core/query/order.ts";
import type { ListQuery } from "../../ports/store.ts";
import { Binder, conditionSql, rangeSql } from "../sql/condition.ts";
import type { SqlValue } from "../sql/dialect.ts";
import { areRoots, TOMBSTONES_AS_MESSAGES, isSeqRange, logTimes, ORDER_COLUMN, orderColumnOf } from "../sql/shared-listing-parts.ts";
import type { AccessPath } from "./access-path.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";
import { numberArray } from "./array-literals.ts";

/** Returns `seq` and `position`, the sort key, of at most `limit` rows. */
export interface PageSql {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly direction: "ASC" | "DESC";
}

const THREAD = "LEFT JOIN threads t ON t.root = m.root";

/** A row of a portion: its place among the rows that were looked at, and whether it fits. */
export interface LookedRow {
  readonly seq: number;
  readonly position: number;
  readonly fits: number;
  readonly n: number;
}

/**
 * With a `portion`, the statement looks at no more rows than this, and returns the `LookedRow`s of those that fit; also the last one if
 * there may be more.
 */
export function messagePage(
  { order, after, limit, only }: ListQuery,
  conditions: readonly Condition[],
  path: AccessPath | undefined,
  portion?: number,
): PageSql {
  const binder = new Binder(POSTGRES_DIALECT);
  const direction = order.descending ? "DESC" : "ASC";
  const key = ORDER_COLUMN[order.key];
  const bounds = (seq: string): string[] => [
    ...conditions.flatMap((one) => seqBounds(seq, one, binder)),
    ...(order.key === "seq" && after !== undefined ? [beyond(seq, seq, order.descending, after, binder)] : []),
  ];
  const left = conditions.filter((one) => !isSeqRange(one) && (one !== path?.condition || path.nearby));
  const looked = (early = false): string[] =>
    left.filter((one) => path === undefined || isBesideMessages(one) === early).map((one) => conditionSql(one, binder));
  const past = (seq: string): string[] =>
    order.key === "seq" || after === undefined ? [] : [beyond(key, seq, order.descending, after, binder)];
  const by = (position: string, seq: string): string =>
    `ORDER BY ${position === seq ? "" : `${position} ${direction}, `}${seq} ${direction}`;
  // A literal and no parameter: the planner must see that a page is short.
  const end = (position: string, seq: string): string => `${by(position, seq)} LIMIT ${Math.trunc(portion ?? limit)}`;
  const made = (sql: string): PageSql => ({ sql: portion === undefined ? sql : looking(sql, portion), values: binder.values, direction });
  const looking = (sql: string, most: number): string =>
    `SELECT * FROM (SELECT *, row_number() OVER (${by("position", "seq")}) AS n FROM (${sql}) s) p WHERE fits = 1 OR n = ${most} ORDER BY n`;
  /** What is tested of each row. In a portion that does not choose the rows, and what is in their own row is tested first. */
  const tested = (...tests: readonly string[]): { readonly where: readonly string[]; readonly fits: string } => {
    if (portion === undefined) return { where: [...tests, ...looked()], fits: "" };
    const ordered = left.toSorted((a, b) => Number(isBesideMessages(a)) - Number(isBesideMessages(b)));
    const all = ["true", ...tests, ...ordered.map((one) => conditionSql(one, binder))];
    return { where: [], fits: `, CASE WHEN ${all.join(" AND ")} THEN 1 ELSE 0 END AS fits` };
  };
  const lookedUp = portion === undefined ? "" : ", l.fits";

  if (path !== undefined || only !== undefined) {
    const early = path === undefined || portion !== undefined ? [] : looked(true);
    const seqs =
      path === undefined
        ? `SELECT unnest(${binder.bind(numberArray(only ?? []))}::bigint[]) AS seq`
        : `SELECT m.seq FROM (${streamed(path, binder, bounds, direction)}) m ${early.length === 0 ? "" : `WHERE ${early.join(" AND ")}`}`;
    const { where: tests, fits } = tested();
    const where = ["m.seq = d.seq", ...(path === undefined ? bounds("m.seq") : []), ...tests, ...past("m.seq")];
    // Looked up one by one in the order of the path, until the page is full; OFFSET 0 keeps the planner from reordering that.
    const rows = `SELECT ${key} AS position${fits} FROM messages m ${order.key === "activity" ? THREAD : ""} WHERE ${where.join(" AND ")} OFFSET 0`;
    const position = order.key === "seq" ? "d.seq" : "l.position";
    return made(
      `SELECT d.seq, ${position} AS position${lookedUp} FROM (${seqs}) d CROSS JOIN LATERAL (${rows}) l ${end(position, "d.seq")}`,
    );
  }
  if (order.key === "activity") {
    const { where: tests, fits } = tested(...bounds("m.seq"));
    // A thread gives no more rows than are wanted, from the last place on, which may be in the middle of it.
    const start = (last: Position): string => {
      const [how, beforeAll] = order.descending ? ["<", Number.MAX_SAFE_INTEGER] : [">", 0];
      return `AND m.seq ${how} CASE WHEN t.last_activity = ${binder.bind(last.key)} THEN ${binder.bind(last.seq)} ELSE ${beforeAll} END`;
    };
    const some = `${after === undefined ? "" : start(after)} ${end("m.seq", "m.seq")}`;
    const rows = `SELECT m.seq${fits} FROM messages m WHERE ${[areRoots(conditions) ? "m.id = t.root" : "m.root = t.root", ...tests].join(" AND ")} ${some}`;
    const where =
      after === undefined ? [] : [`t.last_activity ${order.descending ? "<=" : ">="} ${binder.bind(after.key)}`, ...past("l.seq")];
    const from = `threads t CROSS JOIN LATERAL (${rows}) l`;
    return made(`SELECT l.seq, ${key} AS position${lookedUp} FROM ${from} WHERE ${["true", ...where].join(" AND ")} ${end(key, "l.seq")}`);
  }
  // In the order of seq, bounds of seq say where the walk begins and ends; in another order they are one more test.
  const ofOrder = order.key === "seq" ? bounds("m.seq") : [];
  const { where: tests, fits } = tested(...(order.key === "seq" ? [] : bounds("m.seq")));
  const where = ["true", ...ofOrder, ...tests, ...past("m.seq")];
  return made(`SELECT m.seq, ${key} AS position${fits} FROM messages m WHERE ${where.join(" AND ")} ${end(key, "m.seq")}`);
}

/** Tombstones have the columns that filters use, but few of them an index. */
export function tombstonePage({ order, after, limit, only }: ListQuery, conditions: readonly Condition[]): PageSql {
  const binder = new Binder(POSTGRES_DIALECT);
  const direction = order.descending ? "DESC" : "ASC";
  const key = orderColumnOf(order.key, "gone");
  const where = [
    ...conditions.filter((one) => !isSeqRange(one)).map((one) => conditionSql(one, binder)),
    ...conditions.flatMap((one) => seqBounds("m.seq", one, binder)),
    ...(only === undefined ? [] : [`m.seq = ANY (${binder.bind(numberArray(only))}::bigint[])`]),
    ...(after === undefined ? [] : [beyond(key, "m.seq", order.descending, after, binder)]),
  ];
  const by = order.key === "seq" ? `m.seq ${direction}` : `${key} ${direction}, m.seq ${direction}`;
  const from = `${TOMBSTONES_AS_MESSAGES} m ${order.key === "activity" ? THREAD : ""}`;
  const sql = `SELECT m.seq, ${key} AS position FROM ${from} WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT ${Math.trunc(limit)}`;
  return { sql, values: binder.values, direction };
}

/** All rows of the path, each seq once, in page order if its index has that order. */
function streamed(
  { streams, seq, orderedBy, overlap }: AccessPath,
  binder: Binder,
  bounds: (seq: string) => string[],
  direction: string,
): string {
  const order = orderedBy.map((column) => `${column} ${direction}`).join(", ");
  const each = streams(binder).map((one) => `(${[one, ...bounds(seq)].join(" AND ")} ORDER BY ${order})`);
  if (each.length === 1 && !overlap) return each.join("");
  // Several ordered ranges are merged while they are read; DISTINCT alone would collect all of them first.
  return `SELECT ${overlap ? "DISTINCT ON (seq) " : ""}seq FROM (${each.join(" UNION ALL ")}) s ORDER BY seq ${direction}`;
}

/** What an index of another table says of a seq, before the message itself is read. */
const isBesideMessages = (condition: Condition): boolean =>
  condition.is === "refers" || ((condition.is === "hasAny" || condition.is === "hasAll") && condition.field !== "claimedBy");

/** Times of receipt also as bounds of seq, at which an index scan can stop; looked up once, not for each row. */
function seqBounds(seq: string, condition: Condition, binder: Binder): string[] {
  if (isSeqRange(condition)) return [rangeSql(seq, condition, binder)];
  const { from, before } = logTimes(condition) ?? {};
  return [
    ...(from === undefined ? [] : [`${seq} >= (SELECT seq_at(${binder.bind(from)}))`]),
    ...(before === undefined ? [] : [`${seq} < (SELECT seq_at(${binder.bind(before)}))`]),
  ];
}

function beyond(key: string, seq: string, descending: boolean, after: Position, binder: Binder): string {
  const how = descending ? "<" : ">";
  return key === seq
    ? `${seq} ${how} ${binder.bind(after.seq)}`
    : `(${key}, ${seq}) ${how} (${binder.bind(after.key)}, ${binder.bind(after.seq)})`;
}
