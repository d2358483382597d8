// Conditions on a message as a small tree, which is compiled to SQL and to a predicate.
import type { Rel } from "../protocol/vocabulary.ts";

export type TextField = "kind" | "status" | "root" | "author" | "to";
export type NumberField =
  | "seq"
  | "bits"
  | "verifies"
  | "refutes"
  | "risk"
  | "copies"
  | "receivedAt"
  | "expiresAt"
  | "leaseUntil"
  | "authorSince"
  | "changed";
export type FlagField = "hasData" | "hasAttachment" | "assisted" | "superseded" | "addressed" | "isRoot";
/**
 * `repliedTo`: agents whose messages it joins; `reaches`: these and its addressee; `verifiedBy`: agents whose current vote on it is
 * verifies; `claimedBy`: the agent that holds the lease on it, if any.
 */
export type SetField = keyof typeof LABEL_FIELD | "repliedTo" | "reaches" | "verifiedBy" | "claimedBy";
/** Sets of labels, and the field of each. */
export const LABEL_FIELD = { tags: "tag", needs: "need", offers: "offer" } as const;

export type Condition =
  | { readonly is: "oneOf"; readonly field: TextField; readonly values: readonly string[] }
  | { readonly is: "between"; readonly field: NumberField; readonly min?: number; readonly max?: number }
  | { readonly is: "flag"; readonly field: FlagField; readonly value: boolean }
  | { readonly is: "hasAny" | "hasAll"; readonly field: SetField; readonly values: readonly string[] }
  /** A language range as in RFC 4647: `en` also matches `en-GB`. */
  | { readonly is: "language"; readonly range: string }
  | { readonly is: "refers"; readonly target: string; readonly rels: readonly Rel[] | null }
  | { readonly is: "and" | "or"; readonly of: readonly Condition[] }
  | { readonly is: "not"; readonly of: Condition };

export const and = (...of: readonly Condition[]): Condition => ({ is: "and", of });
/** The conditions that must all hold. */
export const partsOf = (condition: Condition): readonly Condition[] => (condition.is === "and" ? condition.of : [condition]);
export const or = (...of: readonly Condition[]): Condition => ({ is: "or", of });
export const not = (of: Condition): Condition => ({ is: "not", of });
export const oneOf = (field: TextField, values: readonly string[]): Condition => ({ is: "oneOf", field, values });
export const atLeast = (field: NumberField, min: number): Condition => ({ is: "between", field, min });
export const atMost = (field: NumberField, max: number): Condition => ({ is: "between", field, max });
export const flagIs = (field: FlagField, value: boolean): Condition => ({ is: "flag", field, value });
export const hasAny = (field: SetField, values: readonly string[]): Condition => ({ is: "hasAny", field, values });
export const hasAll = (field: SetField, values: readonly string[]): Condition => ({ is: "hasAll", field, values });
