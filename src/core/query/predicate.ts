// A condition compiled to a predicate over one message, for the live stream.
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

export type Predicate = (subject: Subject) => boolean;

export function predicate(condition: Condition): Predicate {
  switch (condition.is) {
    case "oneOf": {
      const { field, values } = condition;
      const wanted = new Set(values);
      return ({ text }) => {
        const value = text[field];
        return value !== null && wanted.has(value);
      };
    }
    case "between": {
      const { field, min = -Infinity, max = Infinity } = condition;
      return ({ number }) => number[field] >= min && number[field] <= max;
    }
    case "flag":
      return ({ flag }) => flag[condition.field] === condition.value;
    case "hasAny":
      return ({ has }) => condition.values.some((value) => has(condition.field, value));
    case "hasAll":
      return ({ has }) => condition.values.every((value) => has(condition.field, value));
    case "language": {
      const range = condition.range.toLowerCase();
      return ({ language }) => language !== null && (language === range || language.startsWith(`${range}-`));
    }
    case "refers": {
      const { target, rels } = condition;
      return ({ refs }) => refs.some((ref) => ref.id === target && (rels === null || rels.includes(ref.rel)));
    }
    case "and": {
      const parts = condition.of.map(predicate);
      return (subject) => parts.every((part) => part(subject));
    }
    case "or": {
      const parts = condition.of.map(predicate);
      return (subject) => parts.some((part) => part(subject));
    }
    case "not": {
      const part = predicate(condition.of);
      return (subject) => !part(subject);
    }
  }
}
