// Which conditions an index can lead a listing by; by which statement it does is each store's own.
import type { Condition } from "../../core/query/condition.ts";

/** Sorting so many rows costs less than walking a whole index in order. */
export const SORTABLE = 5000;

type Of<Kind extends Condition["is"]> = Extract<Condition, { is: Kind }>;

export interface WaysBy<Way> {
  readonly oneOf: (condition: Of<"oneOf">) => Way | undefined;
  readonly between: (condition: Of<"between">) => Way | undefined;
  readonly refers: (condition: Of<"refers">) => Way | undefined;
  /** A message of the result has one of the values at least. */
  readonly has: (condition: Of<"hasAny" | "hasAll">) => Way | undefined;
}

export function wayBy<Way>(condition: Condition, by: WaysBy<Way>): Way | undefined {
  switch (condition.is) {
    case "oneOf":
      return by.oneOf(condition);
    case "between":
      return by.between(condition);
    case "refers":
      return by.refers(condition);
    case "hasAny":
      return by.has(condition);
    case "hasAll":
      return condition.values.length === 1 ? by.has(condition) : undefined;
    case "flag":
    case "language":
    case "and":
    case "or":
    case "not":
      return undefined;
  }
}
