// The access paths to the messages of a condition: which table gives their seqs, in which order, and how many there are.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { type Condition, LABEL_FIELD, type NumberField, type SetField, type TextField } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import type { Binder } from "./condition.ts";
import { type Dialect, spelled, type SqlRows } from "./dialect.ts";
import { type SeqLookup, SORTABLE } from "./lookup-table-spec.ts";

const BY_SEQ = ["seq"] as const;

type Lookups = Readonly<Record<TextField | SetField | "target", SeqLookup>>;

/** The same object for every query, so that statements made of it can be cached. */
const lookups = spelled((dialect): Lookups => {
  const { thread, voted } = dialect;
  const ofMessage = { from: "messages", orderedBy: BY_SEQ, repeats: "never" } as const;
  const ofSet = { orderedBy: BY_SEQ, repeats: "across values" } as const;
  const each = (count: (value: string) => string) => (values: readonly string[]) =>
    values.map((value) => `coalesce(${count(value)}, 0)`).join(" + ");
  const counted = (from: string) => (values: readonly string[]) =>
    fewOf(
      values.map((value) => `SELECT seq FROM ${from} = ${value}`),
      BY_SEQ,
      dialect,
    );
  // Tallies leave out superseded messages, whose rows are still there. So a small one says little, and the rows are counted.
  const tallied = (field: string, from: string) =>
    each((value) => {
      const tally = `(SELECT count FROM tallies WHERE field = '${field}' AND label = ${value})`;
      return `CASE WHEN ${tally} > ${SORTABLE} THEN ${tally} ELSE ${counted(from)([value])} END`;
    });
  const labelled = (field: string): SeqLookup => {
    const where = `field = '${field}'`;
    return { ...ofSet, from: "labels", where, column: "label", count: tallied(field, `labels WHERE ${where} AND label`) };
  };
  const inbox = { ...ofSet, from: "inbox", column: "agent" } as const;
  return {
    kind: { ...ofMessage, column: "kind", count: tallied("kind", "messages WHERE kind") },
    status: { ...ofMessage, column: "status", count: tallied("status", "messages WHERE status") },
    author: { ...ofMessage, column: "author", count: (values) => `(SELECT sum(messages) FROM agents WHERE id IN (${values.join(", ")}))` },
    root: {
      ...ofMessage,
      column: thread.ofMessage,
      key: thread.of,
      count: each((value) => `(SELECT messages FROM threads WHERE ${thread.key} = ${thread.of(value)})`),
    },
    to: { ...ofMessage, column: '"to"' },
    tags: labelled(LABEL_FIELD.tags),
    needs: labelled(LABEL_FIELD.needs),
    offers: labelled(LABEL_FIELD.offers),
    reaches: inbox,
    // Counted with all other messages that reach the agent: counting replies alone could scan without end.
    repliedTo: { ...inbox, where: "reply > 0", count: counted("inbox WHERE agent") },
    verifiedBy: voted,
    claimedBy: { from: "messages", column: "claimed_by", orderedBy: ["lease_until", "seq"], repeats: "never" },
    target: { from: "refs", column: "target", orderedBy: ["rel", "seq"], repeats: "always" },
  };
});

/**
 * The columns whose index can lead by a range, and the bound that few messages meet: every message has an expiry, and many have votes.
 * SQLite reads such ranges in steps instead.
 */
export const RANGES: Readonly<Partial<Record<NumberField, { readonly column: string; readonly selective: "min" | "max" }>>> = {
  expiresAt: { column: "expires_at", selective: "max" },
  bits: { column: "bits", selective: "min" },
  verifies: { column: "verifies", selective: "min" },
};

/** The table that gives the seqs of a condition, and the values to look up. */
export interface SeqSource {
  readonly lookup: SeqLookup;
  readonly values: readonly string[];
}

/** Whether these rows may give a seq more than once. */
export const repeatsSeqs = ({ lookup, values }: SeqSource): boolean =>
  lookup.repeats === "always" || (lookup.repeats === "across values" && values.length > 1);

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];

/** Undefined if no table leads to the messages of the condition. */
export function lookupFor(condition: Condition, rows: Pick<SqlRows, "dialect">): SeqSource | undefined {
  switch (condition.is) {
    case "oneOf":
    case "hasAny":
      return { lookup: lookups(rows)[condition.field], values: distinct(condition.values) };
    case "hasAll":
      return condition.values.length === 1 ? { lookup: lookups(rows)[condition.field], values: condition.values } : undefined;
    case "refers": {
      const { target, rels } = condition;
      const lookup = lookups(rows).target;
      if (rels === null) return { lookup, values: [target] };
      const other = { column: lookup.column, value: target };
      return { lookup: { ...lookup, other, column: "rel", orderedBy: BY_SEQ }, values: distinct(rels) };
    }
    case "between":
    case "flag":
    case "language":
    case "and":
    case "or":
    case "not":
      return undefined;
  }
}

/** The rows of these values, as a statement without its end. */
export function rowsOf({ from, column, seq = "seq", where, other, key }: SeqLookup, values: readonly string[], binder: Binder): string {
  const places = values.map((value) => key?.(binder.bind(value)) ?? binder.bind(value));
  const fits = places.length === 1 ? `${column} = ${places.join("")}` : `${column} IN (${places.join(", ")})`;
  const besides = `${where === undefined ? "" : ` AND ${where}`}${other === undefined ? "" : ` AND ${other.column} = ${binder.bind(other.value)}`}`;
  return `SELECT ${seq === "seq" ? seq : `${seq} AS seq`} FROM ${from} WHERE ${fits}${besides}`;
}

/** Counts rows, but not further than necessary. */
export function fewOf(rows: readonly string[], orderedBy: readonly string[], { byIndex }: Dialect): string {
  const few = rows.map((one) => `${byIndex(one, orderedBy)} LIMIT ${SORTABLE + 1}`);
  const all = few.length === 1 ? few.join("") : `${few.map((one) => `SELECT * FROM (${one}) o`).join(" UNION ALL ")} LIMIT ${SORTABLE + 1}`;
  return `(SELECT count(*) FROM (${all}) few)`;
}

/** A statement that counts superseded messages. */
export const SUPERSEDED = spelled(
  (dialect) => `SELECT ${fewOf(["SELECT seq FROM messages WHERE superseded_by IS NOT NULL"], BY_SEQ, dialect)} AS rows`,
);

const MAX_COUNTS = 5000;
const COUNTED_FOR_MS = 10_000;

/** Numbers of rows, some seconds old: they only affect the choice of a path, not what it finds. */
export class RowCounts {
  readonly #counted = new BoundedCache<string, { readonly rows: number; readonly at: number }>(MAX_COUNTS);

  get(key: string): number | undefined {
    const known = this.#counted.get(key);
    return known !== undefined && performance.now() - known.at < COUNTED_FOR_MS ? known.rows : undefined;
  }

  set(key: string, rows: number): void {
    this.#counted.set(key, { rows, at: performance.now() });
  }
}

/** An expression for the approximate number of its rows. */
export function countOf({ lookup, values }: SeqSource, binder: Binder): string {
  const { count, orderedBy } = lookup;
  if (count !== undefined) return `coalesce(${count(values.map((value) => binder.bind(value)))}, 0)`;
  return fewOf(
    values.map((value) => rowsOf(lookup, [value], binder)),
    orderedBy,
    binder.dialect,
  );
}

/**
 * Whether a path can serve a listing. A path in the order of seq serves any listing in that order; other paths must be short enough to
 * sort.
 */
export const serves = ({ rows, inOrder }: { readonly rows: number; readonly inOrder: boolean }, key: OrderKey): boolean =>
  rows <= SORTABLE || (inOrder && key === "seq");
