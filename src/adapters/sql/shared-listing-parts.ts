// The common parts of listings of every SQL store.
import { type Condition, not, or, partsOf } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import { nextSlice } from "../../ports/cpu-slices.ts";
import type { Listed, ListQuery } from "../../ports/store.ts";
import { SORTABLE } from "./lookup-table-spec.ts";

/** `t` is the thread of the message `m`. */
export const ORDER_COLUMN: Record<OrderKey, string> = {
  seq: "m.seq",
  activity: "t.last_activity",
  expiresAt: "m.expires_at",
  verifies: "m.verifies",
  bits: "m.bits",
  changed: "m.changed",
};

/** A thread without messages is deleted, but its tombstones are still listed on request. */
export const orderColumnOf = (key: OrderKey, source: "messages" | "gone"): string =>
  key === "activity" && source === "gone" ? "coalesce(t.last_activity, m.received_at)" : ORDER_COLUMN[key];

/** Tombstones with the columns of messages; missing facts are empty. */
export const TOMBSTONES_AS_MESSAGES = `(
  SELECT seq, id, author, kind, root, received_at, 9007199254740991 AS expires_at, NULL AS "to", 0 AS bits, 0 AS assisted, 0 AS has_data,
    0 AS has_attachment, NULL AS lang, '' AS status, 0 AS verifies, 0 AS refutes, 0 AS risk, 0 AS copies, NULL AS superseded_by,
    CAST(NULL AS bigint) AS lease_until, CAST(NULL AS text) AS claimed_by, changed
  FROM gone WHERE reason IN ('removed', 'retracted'))`;

/** The conditions of a listing, each of which an index may serve. */
export const conditionsOf = (condition: Condition): readonly Condition[] =>
  partsOf(condition).flatMap((one) => (one.is === "hasAll" ? one.values.map((value) => ({ ...one, values: [value] })) : [one]));

/** The same for tombstones, or undefined if no tombstone can meet them all. */
export function tombstoneConditions(conditions: readonly Condition[]): readonly Condition[] | undefined {
  const asked = conditions.map(ofTombstone);
  return asked.includes(NEVER) ? undefined : asked;
}

const NEVER: Condition = or();

/** A tombstone has no labels, references, votes or recipients, so nothing need be looked up. */
function ofTombstone(condition: Condition): Condition {
  switch (condition.is) {
    case "refers":
    case "hasAny":
      return NEVER;
    case "hasAll":
      return condition.values.length === 0 ? condition : NEVER;
    case "and":
    case "or":
      return { is: condition.is, of: condition.of.map(ofTombstone) };
    case "not":
      return not(ofTombstone(condition.of));
    default:
      return condition;
  }
}

/** Whether only the first message of each thread can match: then a thread leads to one message, however many it has. */
export const areRoots = (conditions: readonly Condition[]): boolean =>
  conditions.some((one) => one.is === "flag" && one.field === "isRoot" && one.value);

export type SeqRange = Extract<Condition, { is: "between" }>;
export const isSeqRange = (condition: Condition): condition is SeqRange => condition.is === "between" && condition.field === "seq";

/** Times of receipt as times of the log, at whose seqs a scan can begin and stop. */
export function logTimes(condition: Condition): { readonly from: number | undefined; readonly before: number | undefined } | undefined {
  if (condition.is !== "between" || condition.field !== "receivedAt") return undefined;
  return { from: condition.min, before: condition.max === undefined ? undefined : condition.max + 1 };
}

/** Whether nearly every message meets a condition, so that a page fills soon; bounds of seq end a scan by themselves. */
export type HoldsMostly = (condition: Condition) => boolean;

/** `superseded`: how many messages are. Few of them are skipped faster than anything else could be done about them. */
export const holdsMostly = (superseded: number): HoldsMostly => (superseded > SORTABLE ? isLive : isCurrent);

const isLive: HoldsMostly = (condition) =>
  condition.is === "between" && (condition.field === "seq" || (condition.field === "expiresAt" && condition.max === undefined));
export const isCurrent: HoldsMostly = (condition) =>
  isLive(condition) || (condition.is === "flag" && condition.field === "superseded" && !condition.value);

/** The first and the last seq of these rows, each from an index: SQLite would scan all of them for both at once. */
export const endsOf = (rows: string): string => `SELECT (SELECT min(seq) FROM ${rows}) AS first, (SELECT max(seq) FROM ${rows}) AS last`;
/** Of the tombstones that listings can show. */
export const SHOWN_TOMBSTONES = endsOf("gone WHERE reason IN ('removed', 'retracted')");
export interface SeqEnds {
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * Walks tombstones by seq, whatever the order of the listing: there is an index for exactly that. `next` gives the length of a step from
 * that of the step before and the time it took.
 */
export async function walkTombstones(
  query: ListQuery,
  { first, last }: SeqEnds,
  { start, next }: { readonly start: number; readonly next: (length: number, ms: number) => number },
  read: (within: SeqRange) => readonly Listed[] | Promise<readonly Listed[]>,
): Promise<readonly Listed[]> {
  if (first === null || last === null) return [];
  const { order, limit } = query;
  const found: Listed[] = [];
  const backwards = order.key === "seq" && order.descending;
  for (let from = backwards ? last : first, length = start; backwards ? from >= first : from <= last;) {
    const began = performance.now();
    const range = backwards ? { min: from - length + 1, max: from } : { min: from, max: from + length - 1 };
    found.push(...(await read({ is: "between", field: "seq", ...range })));
    // In the order of seq, the first ones are the wanted ones.
    if (order.key === "seq" && found.length >= limit) break;
    if (found.length > limit) found.splice(0, found.length, ...merged(query, found, []));
    from += backwards ? -length : length;
    length = next(length, performance.now() - began);
    await nextSlice();
  }
  return merged(query, found, []);
}

/** Two listings in the same order as one. */
export function merged({ order, limit }: ListQuery, one: readonly Listed[], other: readonly Listed[]): Listed[] {
  const sign = order.descending ? -1 : 1;
  const both = [...one, ...other].sort((a, b) => sign * (a.position.key - b.position.key || a.position.seq - b.position.seq));
  return both.slice(0, limit);
}

/** Both listings, if that of messages ended early: what comes after its end is left out, because other messages may come before that. */
export function mergedUntilEnd(query: ListQuery, found: readonly Listed[], tombstones: readonly Listed[]): Listed[] {
  const both = merged(query, found, tombstones);
  const end = both.findIndex((one) => one === found.at(-1));
  return end < 0 ? both : both.slice(0, end + 1);
}
