// A condition as it applies to an erased message: its labels and its language must stay unknown.
import { and, type Condition, LABEL_FIELD, or } from "./condition.ts";

/**
 * True if the condition would be true for some labels and some language. It decides whether readers who replay the past get the event of
 * an end, so the event reveals nothing about the labels of the message.
 */
export function withoutLabels(condition: Condition, negated = false): Condition {
  switch (condition.is) {
    case "hasAny":
    case "hasAll":
      return condition.field in LABEL_FIELD ? maybe(negated) : condition;
    case "language":
      return maybe(negated);
    case "and":
    case "or":
      return { ...condition, of: condition.of.map((part) => withoutLabels(part, negated)) };
    case "not":
      return { ...condition, of: withoutLabels(condition.of, !negated) };
    case "oneOf":
    case "between":
    case "flag":
    case "refers":
      return condition;
  }
}

/** `and()` of nothing is true, and `or()` of nothing is false. */
const maybe = (negated: boolean): Condition => (negated ? or() : and());
