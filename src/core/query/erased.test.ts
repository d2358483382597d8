import { describe, expect, test } from "vitest";
import { and, hasAll, hasAny, not, oneOf, or } from "./condition.ts";
import { withoutLabels } from "./erased.ts";
import { holds, type Subject } from "./predicate.ts";

const subject = (tags: readonly string[], language: string | null): Subject => ({
  text: { kind: "note", status: "open", root: "r", author: "a", to: null },
  number: {
    seq: 1,
    bits: 0,
    verifies: 0,
    refutes: 0,
    risk: 0,
    copies: 0,
    receivedAt: 0,
    expiresAt: 0,
    authorSince: 0,
    leaseUntil: Number.NaN,
    changed: 1,
  },
  flag: { hasData: false, hasAttachment: false, assisted: false, superseded: false, addressed: false, isRoot: true },
  has: (field, value) => (field === "tags" ? tags.includes(value) : field === "reaches" && value === "b"),
  language,
  refs: [],
  terms: () => [],
});
const MESSAGES = [subject([], null), subject(["x"], "de"), subject(["x", "y"], "en")];
const german = { is: "language", range: "de" } as const;

describe("a condition on an erased message", () => {
  test.each([
    ["one of the labels", hasAny("tags", ["x"]), true],
    ["all labels", hasAll("needs", ["x", "y"]), true],
    ["none of the labels", not(hasAny("tags", ["x"])), true],
    ["a language", or(german, { is: "language", range: "fr" }), true],
    ["not both a label and an author that it has not", not(and(hasAny("tags", ["x"]), oneOf("author", ["z"]))), true],
    ["not either of a label and the author it has", not(or(hasAny("tags", ["x"]), oneOf("author", ["a"]))), false],
    ["a label and its kind", and(hasAny("tags", ["x"]), oneOf("kind", ["note"])), true],
    ["a label and another kind", and(hasAny("tags", ["x"]), oneOf("kind", ["task"])), false],
    ["whom it reaches", hasAny("reaches", ["b"]), true],
    ["whom it does not reach", hasAny("reaches", ["c"]), false],
  ])("says the same whatever labels it had, and loses none that matched: %s", (_, condition, may) => {
    const erased = withoutLabels(condition);
    expect(MESSAGES.map((message) => holds(erased, message))).toEqual(MESSAGES.map(() => may));
    for (const message of MESSAGES) if (holds(condition, message)) expect(holds(erased, message)).toBe(true);
  });
});
