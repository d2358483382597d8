// Whether a condition holds for one message, for the live stream.
import type { Ref } from "../protocol/payload.ts";
import type { Condition, FlagField, NumberField, SetField, TextField } from "./condition.ts";

/** A message as conditions see it. */
export interface Subject {
  readonly text: Readonly<Record<TextField, string | null>>;
  readonly number: Readonly<Record<NumberField, number>>;
  readonly flag: Readonly<Record<FlagField, boolean>>;
  readonly has: (field: SetField, value: string) => boolean;
  readonly language: string | null;
  readonly refs: readonly Ref[];
  /** The terms by which filters are indexed; see filter-index-terms.ts. */
  readonly terms: () => readonly string[];
}

/** One function for all filters instead of a closure for each: thousands of closures would each be compiled anew. */
export function holds(condition: Condition, subject: Subject): boolean {
  switch (condition.is) {
    case "oneOf": {
      const value = subject.text[condition.field];
      return value !== null && condition.values.includes(value);
    }
    case "between": {
      const { min = -Infinity, max = Infinity } = condition;
      const value = subject.number[condition.field];
      return value >= min && value <= max;
    }
    case "flag":
      return subject.flag[condition.field] === condition.value;
    case "hasAny":
      return condition.values.some((value) => subject.has(condition.field, value));
    case "hasAll":
      return condition.values.every((value) => subject.has(condition.field, value));
    case "language":
      return isInRange(subject.language, condition.range.toLowerCase());
    case "refers": {
      const { target, rels } = condition;
      return subject.refs.some((ref) => ref.id === target && (rels === null || rels.includes(ref.rel)));
    }
    case "and":
      return condition.of.every((part) => holds(part, subject));
    case "or":
      return condition.of.some((part) => holds(part, subject));
    case "not":
      return !holds(condition.of, subject);
  }
}

const isInRange = (language: string | null, range: string): boolean =>
  language !== null && (language === range || language.startsWith(`${range}-`));
