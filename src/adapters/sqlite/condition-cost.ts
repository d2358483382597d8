// How many lookups it takes to test whether a message meets a condition, approximately.
import type { Condition } from "../../core/query/condition.ts";
import { isCurrent } from "../sql/shared-listing-parts.ts";

export function lookupsFor(condition: Condition): number {
  switch (condition.is) {
    case "hasAny":
    case "hasAll":
    case "oneOf":
      return condition.values.length;
    case "refers":
      return condition.rels?.length ?? 1;
    case "between":
    case "flag":
    case "language":
      return isCurrent(condition) ? 0 : 1;
    case "and":
    case "or":
      return condition.of.reduce((sum, one) => sum + lookupsFor(one), 0);
    case "not":
      return lookupsFor(condition.of);
  }
}
