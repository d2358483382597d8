// The access paths to the messages of a condition: which table gives their seqs, in which order, and how many there are.
import { type Condition, LABEL_FIELD, type SetField, type TextField } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import type { Binder } from "./condition.ts";
import { type Dialect, spelled, type SqlRows } from "./dialect.ts";
import { type SeqLookup, SORTABLE } from "./lookup-table-spec.ts";

const BY_SEQ = ["seq"] as const;

const tally = (field: string) => (value: string) => `(SELECT count FROM tallies WHERE field = '${field}' AND label = ${value})`;

type Lookups = Readonly<Record<TextField | SetField | "target", SeqLookup>>;

/** The same object for every query, so that statements made of it can be cached. */
const lookups = spelled((dialect): Lookups => {
  const { thread, voted } = dialect;
  const ofMessage = { from: "messages", orderedBy: BY_SEQ, repeats: "never" } as const;
  const ofSet = { orderedBy: BY_SEQ, repeats: "across values" } as const;
  const labelled = (field: string): SeqLookup => ({
    ...ofSet,
    from: "labels",
    where: `field = '${field}'`,
    column: "label",
    count: tally(field),
  });
  const inbox = { ...ofSet, from: "inbox", column: "agent" } as const;
  return {
    kind: { ...ofMessage, column: "kind", count: tally("kind") },
    status: { ...ofMessage, column: "status", count: tally("status") },
    author: { ...ofMessage, column: "author", count: (value) => `(SELECT messages FROM agents WHERE id = ${value})` },
    root: {
      ...ofMessage,
      column: thread.ofMessage,
      key: thread.of,
      count: (value) => `(SELECT messages FROM threads WHERE ${thread.key} = ${thread.of(value)})`,
    },
    to: { ...ofMessage, column: '"to"' },
    tags: labelled(LABEL_FIELD.tags),
    needs: labelled(LABEL_FIELD.needs),
    offers: labelled(LABEL_FIELD.offers),
    reaches: inbox,
    // Counted with all other messages that reach the agent: counting replies alone could scan without end.
    repliedTo: { ...inbox, where: "reply > 0", count: (value) => fewOf(`SELECT seq FROM inbox WHERE agent = ${value}`, BY_SEQ, dialect) },
    verifiedBy: voted,
    claimedBy: { from: "messages", column: "claimed_by", orderedBy: ["lease_until", "seq"], repeats: "never" },
    target: { from: "refs", column: "target", orderedBy: ["rel", "seq"], repeats: "always" },
  };
});

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
export const fewOf = (rows: string, orderedBy: readonly string[], { byIndex }: Dialect): string =>
  `(SELECT count(*) FROM (${byIndex(rows, orderedBy)} LIMIT ${SORTABLE + 1}) few)`;

/** An expression for the approximate number of rows of a value. */
export const countOf = (lookup: SeqLookup, value: string, binder: Binder): string =>
  `coalesce(${lookup.count?.(binder.bind(value)) ?? fewOf(rowsOf(lookup, [value], binder), lookup.orderedBy, binder.dialect)}, 0)`;

/**
 * Whether a path can serve a listing. A path in the order of seq serves any listing in that order; other paths must be short enough to
 * sort.
 */
export const serves = ({ rows, inOrder }: { readonly rows: number; readonly inOrder: boolean }, key: OrderKey): boolean =>
  rows <= SORTABLE || (inOrder && key === "seq");
