// The ways to the messages that meet a condition: which table gives their seqs, in which order, and how many they are.
import { type Condition, LABEL_FIELD, type SetField, type TextField } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import type { Binder } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { type Lookup, SORTABLE } from "./lookup.ts";

const BY_SEQ = ["seq"] as const;

const tally = (field: string) => (value: string) => `(SELECT count FROM tallies WHERE field = '${field}' AND label = ${value})`;

/** Each is the same object for every question, so that what is made of it can be kept. */
type Lookups = Readonly<Record<TextField | SetField | "target", Lookup>>;

function lookupsOf(dialect: Dialect): Lookups {
  const { thread, voted } = dialect;
  const ofMessage = { from: "messages", orderedBy: BY_SEQ, repeats: "never" } as const;
  const ofSet = { orderedBy: BY_SEQ, repeats: "across values" } as const;
  const labelled = (field: string): Lookup => ({
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
    // Counted with all others that reach the agent: looking for replies only, there would be no end to the counting.
    repliedTo: { ...inbox, where: "reply > 0", count: (value) => fewOf(`SELECT seq FROM inbox WHERE agent = ${value}`, BY_SEQ, dialect) },
    verifiedBy: voted,
    claimedBy: { from: "messages", column: "claimed_by", orderedBy: ["lease_until", "seq"], repeats: "never" },
    target: { from: "refs", column: "target", orderedBy: ["rel", "seq"], repeats: "always" },
  };
}

const known = new Map<Dialect, Lookups>();
function lookups(dialect: Dialect): Lookups {
  let all = known.get(dialect);
  if (all === undefined) known.set(dialect, (all = lookupsOf(dialect)));
  return all;
}

/** What gives the seqs of a condition, and the values that it has to have one of. */
export interface Found {
  readonly lookup: Lookup;
  readonly values: readonly string[];
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];

/** Undefined where no table leads to what the condition asks for. */
export function lookupFor(condition: Condition, dialect: Dialect): Found | undefined {
  switch (condition.is) {
    case "oneOf":
    case "hasAny":
      return { lookup: lookups(dialect)[condition.field], values: distinct(condition.values) };
    case "hasAll":
      return condition.values.length === 1 ? { lookup: lookups(dialect)[condition.field], values: condition.values } : undefined;
    case "refers": {
      const { target, rels } = condition;
      const lookup = lookups(dialect).target;
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
export function rowsOf({ from, column, seq = "seq", where, other, key }: Lookup, values: readonly string[], binder: Binder): string {
  const places = values.map((value) => key?.(binder.bind(value)) ?? binder.bind(value));
  const fits = places.length === 1 ? `${column} = ${places.join("")}` : `${column} IN (${places.join(", ")})`;
  const besides = `${where === undefined ? "" : ` AND ${where}`}${other === undefined ? "" : ` AND ${other.column} = ${binder.bind(other.value)}`}`;
  return `SELECT ${seq === "seq" ? seq : `${seq} AS seq`} FROM ${from} WHERE ${fits}${besides}`;
}

/** No further than is of interest. */
export const fewOf = (rows: string, orderedBy: readonly string[], { byIndex }: Dialect): string =>
  `(SELECT count(*) FROM (${byIndex(rows, orderedBy)} LIMIT ${SORTABLE + 1}) few)`;

/** An expression for how many rows a value has, about. */
export const countOf = (lookup: Lookup, value: string, binder: Binder): string =>
  `coalesce(${lookup.count?.(binder.bind(value)) ?? fewOf(rowsOf(lookup, [value], binder), lookup.orderedBy, binder.dialect)}, 0)`;

/** One whose rows come in the order of seq serves any listing in that order; others only where they are short enough to sort. */
export const serves = ({ rows, inOrder }: { readonly rows: number; readonly inOrder: boolean }, key: OrderKey): boolean =>
  rows <= SORTABLE || (inOrder && key === "seq");
