// The status of a message as the published rules give it, for every combination of what it depends on.
import { describe, expect, test } from "vitest";
import { judgeAnswer, type StatusFacts, statusOf, verdict } from "./status.ts";

const NOW = 1000;
const CALM: StatusFacts = {
  kind: "task",
  verifies: 0,
  refutes: 0,
  resolvedByAuthor: false,
  duplicateOf: null,
  answers: 0,
  answersVerified: 0,
  rejected: 0,
  leaseUntil: null,
};
const status = (facts: Partial<StatusFacts>): string => statusOf({ ...CALM, ...facts }, NOW);

test.for([
  [0, 0, "none"],
  [1, 0, "verified"],
  [0, 1, "disputed"],
  [1, 1, "disputed"],
  [2, 1, "verified"],
  [1, 2, "disputed"],
  [5, 5, "disputed"],
  [6, 5, "verified"],
] as const)("%i verifications against %i refutations: %s", ([verifies, refutes, expected]) => {
  expect(verdict({ verifies, refutes })).toBe(expected);
});

test.for([
  [0, 0, undefined, "unverified"],
  [1, 0, undefined, "verified"],
  [0, 1, undefined, "rejected"],
  [1, 1, undefined, "unverified"],
  [1, 2, undefined, "rejected"],
  [1, 2, "verifies", "unverified"],
  [2, 1, "verifies", "verified"],
  [3, 1, "refutes", "rejected"],
  [1, 1, "refutes", "rejected"],
] as const)(
  "an answer with %i verifications and %i refutations, of which the author of the work gave %s: %s",
  ([verifies, refutes, asker, expected]) => {
    expect(judgeAnswer({ verifies, refutes }, asker)).toBe(expected);
  },
);

describe("a task", () => {
  test.for([
    ["open", {}],
    ["claimed", { leaseUntil: NOW + 1 }],
    ["open", { leaseUntil: NOW }],
    ["open", { leaseUntil: NOW - 1 }],
    ["answered", { answers: 1 }],
    ["answered", { answers: 1, leaseUntil: NOW + 1 }],
    ["answered", { answers: 1, rejected: 1 }],
    ["verified", { answers: 1, answersVerified: 1 }],
    ["verified", { answers: 1, answersVerified: 1, rejected: 1 }],
    ["open", { rejected: 1 }],
    ["claimed", { rejected: 2, leaseUntil: NOW + 1 }],
    ["verified", { verifies: 1, answers: 1 }],
    ["disputed", { refutes: 1, answers: 1, answersVerified: 1 }],
    ["open", { verifies: 1 }],
    ["open", { refutes: 1, rejected: 1 }],
    ["claimed", { verifies: 2, leaseUntil: NOW + 1 }],
    ["resolved", { resolvedByAuthor: true, refutes: 3, answers: 1, leaseUntil: NOW + 1 }],
    ["resolved", { duplicateOf: "x", verifies: 3 }],
  ] as const)("is %s with %j", ([expected, facts]) => {
    expect(status(facts)).toBe(expected);
  });
});

describe("a note, which nobody works on", () => {
  test.for([
    ["open", {}],
    ["open", { leaseUntil: NOW + 1 }],
    ["open", { answers: 2, answersVerified: 1 }],
    ["open", { rejected: 1 }],
    ["verified", { verifies: 1 }],
    ["disputed", { refutes: 1 }],
    ["resolved", { resolvedByAuthor: true }],
    ["resolved", { duplicateOf: "x" }],
  ] as const)("is %s with %j", ([expected, facts]) => {
    expect(status({ kind: "note", ...facts })).toBe(expected);
  });
});

/** The published list, read as a list: the first line that holds gives the status. */
function published(facts: StatusFacts): string {
  const workable = ["task", "subtask", "question"].includes(facts.kind);
  const disputed = facts.refutes >= Math.max(1, facts.verifies);
  const counts = !workable || facts.answers > 0;
  const lines: [string, boolean][] = [
    ["resolved", facts.resolvedByAuthor || facts.duplicateOf !== null],
    ["disputed", disputed && counts],
    ["verified", (facts.verifies > facts.refutes && counts) || (workable && facts.answersVerified > 0)],
    ["answered", workable && facts.answers > 0],
    ["claimed", workable && facts.leaseUntil !== null && facts.leaseUntil > NOW],
  ];
  return lines.find(([, holds]) => holds)?.[0] ?? "open";
}

test("the truth table: every combination has the status that the published order gives", () => {
  const few = [0, 1, 2];
  const seen = new Set<string>();
  for (const kind of ["task", "subtask", "question", "note", "finding", "answer", "x-task"])
    for (const verifies of few)
      for (const refutes of few)
        for (const resolvedByAuthor of [true, false])
          for (const duplicateOf of [null, "x"])
            for (const answers of few)
              for (const answersVerified of few.filter((n) => n <= answers))
                for (const rejected of few)
                  for (const leaseUntil of [null, NOW - 1, NOW, NOW + 1]) {
                    const facts = {
                      kind,
                      verifies,
                      refutes,
                      resolvedByAuthor,
                      duplicateOf,
                      answers,
                      answersVerified,
                      rejected,
                      leaseUntil,
                    };
                    const found = statusOf(facts, NOW);
                    seen.add(found);
                    if (found !== published(facts)) expect([facts, found]).toEqual([facts, published(facts)]);
                  }
  expect(seen.size).toBe(6);
});
