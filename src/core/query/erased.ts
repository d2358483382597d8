// A condition as it is asked of a message that was erased: its labels and its language are nobody's business any more.
import { and, type Condition, LABEL_FIELD, or } from "./condition.ts";

/**
 * Holds wherever the condition held for some labels and some language. Whoever reads the past is told by this, so that hearing or not
 * hearing of an end never says which labels the message had.
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

/** All of nothing always holds, one of nothing never. */
const maybe = (negated: boolean): Condition => (negated ? or() : and());
