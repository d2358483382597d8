// Chooses the index of a listing in PostgreSQL: that of the condition with the fewest rows, by fixed rules instead of the planner's guess.
import type { Condition } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import { atNobodysCost } from "../../ports/cpu-slices.ts";
import { countOf, fewOf, lookupFor, RANGES, repeatsSeqs, RowCounts, rowsOf, serves, SUPERSEDED } from "../sql/access-path.ts";
import { Binder, rangeSql } from "../sql/condition.ts";
import { holdsMostly, type HoldsMostly } from "../sql/shared-listing-parts.ts";
import { SORTABLE } from "../sql/lookup-table-spec.ts";
import type { Client } from "./client.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";

/** A condition whose seqs an index gives. */
interface Candidate {
  readonly condition: Condition;
  /** Statements, without their end, that each give the seqs of one range of an index. */
  readonly streams: (binder: Binder) => readonly string[];
  /** The column of the seq in such a statement. */
  readonly seq: string;
  /** The columns by which such a range is ordered. Requesting the order of an index makes the planner use that index. */
  readonly orderedBy: readonly string[];
  /** Whether an index has the rows of such a range in the order of seq; if not, they are collected first. */
  readonly inOrder: boolean;
  /** The condition is itself a range of seqs. Whichever index leads, the scan can stop at the bounds of the range. */
  readonly bound: boolean;
  /** Whether the same seq may occur more than once. */
  readonly overlap: boolean;
  /** Whether the condition has to be tested again. */
  readonly nearby: boolean;
  /** An expression that counts its rows approximately. */
  readonly count: (binder: Binder) => string;
}

export interface AccessPath extends Candidate {
  /** Infinity if it was not worth counting. */
  readonly rows: number;
}

/** Above this number, authors are not looked up one by one. */
const FIRST_AUTHORS = 200;

export class AccessPathChooser {
  readonly #client: Client;
  readonly #counted = new RowCounts();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Which conditions nearly every message meets. All callers use the same count, so none of them is charged. */
  async mostly(): Promise<HoldsMostly> {
    let rows = this.#counted.get("superseded");
    if (rows === undefined) {
      const count = () => this.#client.ask<{ rows: number }>(SUPERSEDED({ dialect: POSTGRES_DIALECT }), []);
      const [found] = await atNobodysCost(count);
      this.#counted.set("superseded", (rows = found?.rows ?? 0));
    }
    return holdsMostly(rows);
  }

  async choose(conditions: readonly Condition[], mostly: HoldsMostly, key: OrderKey): Promise<AccessPath | undefined> {
    const candidates = conditions.flatMap((one) => (one.is === "between" ? byRange(one) : byLookup(one)) ?? []);
    const [only] = candidates;
    if (only === undefined) return undefined;
    // Whoever follows the board asks each time for what came after another seq: nothing is to be chosen, so nothing is counted.
    if (key === "seq" && candidates.every(({ bound }) => bound) && conditions.every(mostly)) return undefined;
    const others = conditions.filter((one) => one !== only.condition);
    if (candidates.length === 1 && key === "seq" && only.inOrder && !only.bound && others.every(mostly)) return { ...only, rows: Infinity };
    const rows = await this.#rowsOf(candidates);
    const paths = candidates.map((one, i): AccessPath => ({ ...one, rows: rows[i] ?? Infinity }));
    const reach = Math.min(...paths.filter(({ bound }) => bound).map((one) => one.rows));
    return (
      paths
        // A bound of seq or time limits every other ordered path too. If both have equally many rows, the other path scans less.
        .map((one) => (one.inOrder && !one.bound ? { ...one, rows: Math.min(one.rows, reach) } : one))
        .filter(({ rows, inOrder, bound }) => serves({ rows, inOrder: inOrder && !bound }, key))
        .sort((a, b) => a.rows - b.rows || Number(a.bound) - Number(b.bound))[0]
    );
  }

  async #rowsOf(candidates: readonly Candidate[]): Promise<readonly number[]> {
    const keys = candidates.map(({ condition }) => JSON.stringify(condition));
    const known = keys.map((key) => this.#counted.get(key));
    const missing = candidates.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known.map((rows) => rows ?? Infinity);
    const binder = new Binder(POSTGRES_DIALECT);
    const columns = missing.map(({ count }, i) => `(${count(binder)})::bigint AS "${i}"`);
    const [row] = await this.#client.ask<Readonly<Record<string, number>>>(`SELECT ${columns.join(", ")}`, binder.values);
    let asked = 0;
    return keys.map((key, i) => {
      const before = known[i];
      if (before !== undefined) return before;
      const rows = row?.[asked++] ?? Infinity;
      this.#counted.set(key, rows);
      return rows;
    });
  }
}

function byLookup(condition: Condition): Candidate | undefined {
  const found = lookupFor(condition, { dialect: POSTGRES_DIALECT });
  if (found === undefined || found.values.length === 0) return undefined;
  const { lookup, values } = found;
  const { seq = "seq", orderedBy, nearby = false } = lookup;
  return {
    condition,
    streams: (binder) => values.map((value) => rowsOf(lookup, [value], binder)),
    seq,
    orderedBy,
    inOrder: orderedBy.length === 1,
    bound: false,
    overlap: repeatsSeqs(found),
    nearby,
    count: (binder) => countOf(found, binder),
  };
}

type Range = Extract<Condition, { is: "between" }>;

function byRange(condition: Range): Candidate | undefined {
  if (condition.field === "seq" || condition.field === "receivedAt") return newest(condition);
  if (condition.field === "authorSince") return byFirstAuthors(condition);
  const { column, selective } = RANGES[condition.field] ?? {};
  if (column === undefined || selective === undefined || condition[selective] === undefined) return undefined;
  const stream = (binder: Binder): string => `SELECT seq FROM messages WHERE ${rangeSql(column, condition, binder)}`;
  const orderedBy = [column, "seq"];
  return {
    ...ofRange(condition),
    streams: (binder) => [stream(binder)],
    orderedBy,
    inOrder: false,
    count: (binder) => fewOf([stream(binder)], orderedBy, POSTGRES_DIALECT),
  };
}

const ofRange = (condition: Range) =>
  ({ condition, seq: "seq", orderedBy: ["seq"], inOrder: true, bound: false, overlap: false, nearby: true }) as const;

/** A lower bound of time, which is selective if the time is recent. */
function newest(condition: Range): Candidate | undefined {
  const { field, min } = condition;
  if (min === undefined) return undefined;
  const first = (binder: Binder): string => (field === "seq" ? binder.bind(min) : `(SELECT seq_at(${binder.bind(min)}))`);
  return {
    ...ofRange(condition),
    bound: true,
    streams: (binder) => [`SELECT seq FROM messages WHERE seq >= ${first(binder)}`],
    count: (binder) => `SELECT greatest(0, b.seq - ${first(binder)} + 1) FROM board b`,
  };
}

/** Authors that were first seen at the given time or before, if they are few. There may be none at all. */
function byFirstAuthors(condition: Range): Candidate | undefined {
  const { max } = condition;
  if (max === undefined) return undefined;
  const authors = (binder: Binder): string =>
    `FROM agents WHERE first_seen <= ${binder.bind(max)} ORDER BY first_seen LIMIT ${FIRST_AUTHORS + 1}`;
  const messages = "SELECT seq FROM messages WHERE author = a.id OFFSET 0";
  return {
    ...ofRange(condition),
    inOrder: false,
    streams: (binder) => [
      `SELECT seq FROM (SELECT l.seq FROM (SELECT id ${authors(binder)}) a CROSS JOIN LATERAL (${messages}) l) s WHERE true`,
    ],
    count: (binder) =>
      `SELECT CASE WHEN count(*) > ${FIRST_AUTHORS} THEN ${SORTABLE + 1} ELSE coalesce(sum(messages), 0) END FROM (SELECT messages ${authors(binder)}) few`,
  };
}
