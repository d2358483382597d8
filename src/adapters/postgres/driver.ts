// Which index a listing walks: that of the condition with the fewest rows behind it, as rules and not as the planner's guess.
import { type Condition, LABEL_FIELD, type NumberField, type SetField, type TextField } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import { Recent } from "../../core/recent.ts";
import { Binder, rangeSql } from "../sql/condition.ts";
import { SORTABLE, wayBy, type WaysBy } from "../sql/driven.ts";
import type { Client } from "./client.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";

/** A condition that an index gives the seqs of. */
interface Candidate {
  readonly condition: Condition;
  /** Statements without their end that each give seqs, a range of an index each. */
  readonly streams: (binder: Binder) => readonly string[];
  /** The columns by which that index is ordered within such a range. To ask for this order is to ask for this index. */
  readonly orderedBy: readonly string[];
  /** Whether the same seq may come more than once. */
  readonly overlap: boolean;
  /** An expression that counts its rows, about. */
  readonly count: (binder: Binder) => string;
}

export interface Driver extends Candidate {
  /** Infinity where it was not worth counting. */
  readonly rows: number;
}

const BY_SEQ: readonly string[] = ["seq"];
/** No index gives them so: all are gathered first. */
const SORTED_BY_SEQ: readonly string[] = ["seq"];
/** More authors than these are not looked up one by one. */
const FIRST_AUTHORS = 200;
const COUNTS_KEPT = 5000;
const COUNTED_FOR_MS = 10_000;

const COLUMN: Readonly<Record<TextField, string>> = { kind: "kind", status: "status", root: "root", author: "author", to: `"to"` };
const RANGES: Readonly<Partial<Record<NumberField, string>>> = { expiresAt: "expires_at", bits: "bits", verifies: "verifies" };

/** No further than is of interest. */
const fewOf = (stream: string, orderedBy = BY_SEQ): string =>
  `(SELECT count(*) FROM (${stream} ORDER BY ${orderedBy.join(", ")} LIMIT ${SORTABLE + 1}) few)`;
const sumOf = (counts: readonly string[]): string => counts.map((one) => `coalesce(${one}, 0)`).join(" + ");

export class DriverChooser {
  readonly #client: Client;
  readonly #counted = new Recent<string, { readonly rows: number; readonly at: number }>(COUNTS_KEPT);

  constructor(client: Client) {
    this.#client = client;
  }

  /** One whose rows come in order serves any listing by seq; others only where they are short enough to sort. */
  async choose(conditions: readonly Condition[], key: OrderKey): Promise<Driver | undefined> {
    const candidates = conditions.flatMap((one) => wayBy(one, CANDIDATES) ?? []);
    const [only] = candidates;
    if (only === undefined) return undefined;
    const others = conditions.filter((one) => one !== only.condition);
    if (candidates.length === 1 && key === "seq" && isInOrder(only) && others.every(holdsMostly)) return { ...only, rows: Infinity };
    const rows = await this.#rowsOf(candidates);
    const drivers = candidates.map((one, i): Driver => ({ ...one, rows: rows[i] ?? Infinity }));
    const reach = Math.min(...drivers.filter(isBound).map((one) => one.rows));
    return (
      drivers
        // What came after a moment bounds every other way as well, and that way has less to look at.
        .map((one) => (one.orderedBy === BY_SEQ && !isBound(one) ? { ...one, rows: Math.min(one.rows, reach) } : one))
        .filter((one) => one.rows <= SORTABLE || (isInOrder(one) && key === "seq"))
        .sort((a, b) => a.rows - b.rows || Number(isBound(a)) - Number(isBound(b)))[0]
    );
  }

  /** A count that is a few seconds old serves as well: it chooses the way, not the rows. */
  async #rowsOf(candidates: readonly Candidate[]): Promise<readonly number[]> {
    const now = performance.now();
    const keys = candidates.map(({ condition }) => JSON.stringify(condition));
    const kept = keys
      .map((key) => this.#counted.get(key))
      .map((one) => (one !== undefined && now - one.at < COUNTED_FOR_MS ? one : undefined));
    const missing = candidates.filter((_, i) => kept[i] === undefined);
    if (missing.length === 0) return kept.map((one) => one?.rows ?? Infinity);
    const binder = new Binder(POSTGRES_DIALECT);
    const columns = missing.map(({ count }, i) => `(${count(binder)})::bigint AS "${i}"`);
    const [row] = await this.#client.ask<Readonly<Record<string, number>>>(`SELECT ${columns.join(", ")}`, binder.values);
    let asked = 0;
    return keys.map((key, i) => {
      const before = kept[i];
      if (before !== undefined) return before.rows;
      const rows = row?.[asked++] ?? Infinity;
      this.#counted.set(key, { rows, at: now });
      return rows;
    });
  }
}

/** A range of seqs itself. */
const isBound = ({ orderedBy, condition }: Candidate): boolean => orderedBy === BY_SEQ && condition.is === "between";
const isInOrder = (candidate: Candidate): boolean => candidate.orderedBy === BY_SEQ && !isBound(candidate);

/** What nearly every message is, so that a page is full soon after its start; bounds of seq end a walk by themselves. */
export function holdsMostly(condition: Condition): boolean {
  if (condition.is === "between") return condition.field === "seq" || (condition.field === "expiresAt" && condition.max === undefined);
  return condition.is === "flag" && condition.field === "superseded" && !condition.value;
}

const CANDIDATES: WaysBy<Candidate> = {
  oneOf: (condition) => byColumn(condition, condition.field, condition.values),
  between: byRange,
  refers: byTarget,
  has: (condition) => bySet(condition, condition.field, condition.values),
};

function byRange(condition: Extract<Condition, { is: "between" }>): Candidate | undefined {
  if (condition.field === "seq" || condition.field === "receivedAt") return newest(condition);
  if (condition.field === "authorSince") return byFirstAuthors(condition);
  const column = RANGES[condition.field];
  // Everything has an end, and some work and votes or none: only the far end of these is a choice.
  if (column === undefined || (condition.field === "expiresAt" ? condition.max : condition.min) === undefined) return undefined;
  const stream = (binder: Binder): string => `SELECT seq FROM messages WHERE ${rangeSql(column, condition, binder)}`;
  const orderedBy = [column, "seq"];
  return {
    condition,
    streams: (binder) => [stream(binder)],
    orderedBy,
    overlap: false,
    count: (binder) => fewOf(stream(binder), orderedBy),
  };
}

function byTarget(condition: Extract<Condition, { is: "refers" }>): Candidate {
  const { target, rels } = condition;
  const of = (rel: string | undefined, binder: Binder): string =>
    `SELECT seq FROM refs WHERE target = ${binder.bind(target)}${rel === undefined ? "" : ` AND rel = ${binder.bind(rel)}`}`;
  const streams = (binder: Binder) => (rels === null ? [of(undefined, binder)] : rels.map((rel) => of(rel, binder)));
  const orderedBy = rels === null ? ["rel", "seq"] : BY_SEQ;
  const count = (binder: Binder): string => sumOf(streams(binder).map((one) => fewOf(one, orderedBy)));
  return { condition, streams, orderedBy, overlap: true, count };
}

/** What came after a moment, which is little where the moment is near. */
function newest(condition: Extract<Condition, { is: "between" }>): Candidate | undefined {
  const { field, min } = condition;
  if (min === undefined) return undefined;
  const first = (binder: Binder): string => (field === "seq" ? binder.bind(min) : `(SELECT seq_at(${binder.bind(min)}))`);
  return {
    condition,
    streams: (binder) => [`SELECT seq FROM messages WHERE seq >= ${first(binder)}`],
    orderedBy: BY_SEQ,
    overlap: false,
    count: (binder) => `SELECT greatest(0, b.seq - ${first(binder)} + 1) FROM board b`,
  };
}

/** Of those who were there first, where they are few: nobody may be as old as was asked for. */
function byFirstAuthors(condition: Extract<Condition, { is: "between" }>): Candidate | undefined {
  const { max } = condition;
  if (max === undefined) return undefined;
  const authors = (binder: Binder): string =>
    `FROM agents WHERE first_seen <= ${binder.bind(max)} ORDER BY first_seen LIMIT ${FIRST_AUTHORS + 1}`;
  const messages = "SELECT seq FROM messages WHERE author = a.id OFFSET 0";
  return {
    condition,
    streams: (binder) => [
      `SELECT seq FROM (SELECT l.seq FROM (SELECT id ${authors(binder)}) a CROSS JOIN LATERAL (${messages}) l) s WHERE true`,
    ],
    orderedBy: SORTED_BY_SEQ,
    overlap: false,
    count: (binder) =>
      `SELECT CASE WHEN count(*) > ${FIRST_AUTHORS} THEN ${SORTABLE + 1} ELSE coalesce(sum(messages), 0) END FROM (SELECT messages ${authors(binder)}) few`,
  };
}

function byColumn(condition: Condition, field: TextField, values: readonly string[]): Candidate | undefined {
  const distinct = [...new Set(values)];
  if (distinct.length === 0) return undefined;
  const stream = (value: string, binder: Binder): string => `SELECT seq FROM messages WHERE ${COLUMN[field]} = ${binder.bind(value)}`;
  const counts: Readonly<Record<TextField, (value: string, binder: Binder) => string>> = {
    kind: (value, binder) => tally("kind", value, binder),
    status: (value, binder) => tally("status", value, binder),
    author: (value, binder) => `(SELECT messages FROM agents WHERE id = ${binder.bind(value)})`,
    root: (value, binder) => `(SELECT messages FROM threads WHERE root = ${binder.bind(value)})`,
    to: (value, binder) => fewOf(stream(value, binder)),
  };
  return {
    condition,
    streams: (binder) => distinct.map((value) => stream(value, binder)),
    orderedBy: BY_SEQ,
    overlap: false,
    count: (binder) => sumOf(distinct.map((value) => counts[field](value, binder))),
  };
}

const tally = (field: string, label: string, binder: Binder): string =>
  `(SELECT count FROM tallies WHERE field = '${field}' AND label = ${binder.bind(label)})`;

function bySet(condition: Condition, field: SetField, values: readonly string[]): Candidate | undefined {
  const distinct = [...new Set(values)];
  if (distinct.length === 0) return undefined;
  const base = { condition, orderedBy: BY_SEQ, overlap: distinct.length > 1 };
  switch (field) {
    case "tags":
    case "needs":
    case "offers": {
      const label = LABEL_FIELD[field];
      return {
        ...base,
        streams: (binder) => distinct.map((one) => `SELECT seq FROM labels WHERE field = '${label}' AND label = ${binder.bind(one)}`),
        count: (binder) => sumOf(distinct.map((one) => tally(label, one, binder))),
      };
    }
    case "repliedTo":
    case "reaches": {
      const reply = field === "repliedTo" ? " AND reply = 1" : "";
      const streams = (binder: Binder) => distinct.map((one) => `SELECT seq FROM inbox WHERE agent = ${binder.bind(one)}${reply}`);
      return { ...base, streams, count: (binder) => sumOf(streams(binder).map((one) => fewOf(one))) };
    }
    case "verifiedBy": {
      // Also those whom the agent has refuted since.
      const of = (one: string, binder: Binder): string =>
        `SELECT target AS seq FROM votes WHERE agent = ${binder.bind(one)} AND rel = 'verifies'`;
      const streams = (binder: Binder) => distinct.map((one) => `SELECT seq FROM (${of(one, binder)}) v WHERE true`);
      return { ...base, overlap: true, streams, count: (binder) => sumOf(streams(binder).map((one) => fewOf(one))) };
    }
  }
}
