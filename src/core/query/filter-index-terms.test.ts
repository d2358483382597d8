import { expect, test } from "vitest";
import type { Trace } from "../message/trace.ts";
import { labelMark } from "../message/trace.ts";
import { atLeast, hasAll, hasAny, not, oneOf, or } from "./condition.ts";
import { holds } from "./predicate.ts";
import { subjectOfTrace, subjectsAfter, subjectsBefore } from "./condition-subject.ts";
import { conditionTerms } from "./filter-index-terms.ts";

const A = "ag_aaaaaaaaaaaaaaaaaaaa";
const B = "ag_bbbbbbbbbbbbbbbbbbbb";
const gone = {
  id: "1".repeat(64),
  seq: 7,
  author: A,
  kind: "task",
  root: "2".repeat(64),
  receivedAt: 1000,
  reason: "expired" as const,
  at: 2000,
  statement: null,
  trace: null,
  restored: false,
  changed: 1,
};
const trace: Trace = {
  status: "open",
  to: B,
  bits: 4,
  assisted: false,
  hasData: false,
  hasAttachment: false,
  lang: "en-gb",
  repliedTo: [A],
  verifies: 0,
  refutes: 0,
  expiresAt: 2000,
  refs: [{ rel: "reply", id: "2".repeat(64) }],
  marks: [labelMark({ field: "tag", label: "x" }), labelMark({ field: "need", label: "gpu" })],
  verifiedBy: [],
};
const subject = subjectOfTrace(gone, trace, 500);

test.each([
  ["kind", oneOf("kind", ["note", "task"])],
  ["author", oneOf("author", [B, A])],
  ["root", oneOf("root", [gone.root])],
  ["to", oneOf("to", [B])],
  ["replies", hasAny("repliedTo", [A])],
  ["inbox", hasAny("reaches", [B])],
  ["inbox by reply", hasAny("reaches", [A])],
  ["tag", hasAll("tags", ["x"])],
  ["need", hasAny("needs", ["cpu", "gpu"])],
  ["ref", { is: "refers", target: gone.root, rels: ["reply"] } as const],
])("a filter by %s is found by the message it fits, also once that is gone", (_name, condition) => {
  expect(holds(condition, subject)).toBe(true);
  const terms = conditionTerms([atLeast("bits", 1), condition]);
  expect(terms?.some((term) => subject.terms().includes(term))).toBe(true);
});

test("of several conditions the rarest one is asked first, so that a crowd of filters by kind is not woken by every note", () => {
  expect(conditionTerms([oneOf("kind", ["task"]), hasAll("tags", ["x"]), oneOf("author", [A])])).toEqual([`author ${A}`]);
  expect(conditionTerms([oneOf("kind", ["task"])])).toEqual(["kind task"]);
});

test("a filter without any word of a message may concern every message", () => {
  for (const condition of [not(hasAny("tags", ["x"])), oneOf("status", ["open"]), hasAny("verifiedBy", [A]), or(oneOf("kind", ["task"]))])
    expect(conditionTerms([condition])).toBeUndefined();
  expect(conditionTerms([])).toBeUndefined();
});

test("a label is not taken for the same word in another field, nor a reply for a voter's word", () => {
  expect(holds(hasAny("offers", ["gpu"]), subject)).toBe(false);
  expect(holds(hasAny("tags", ["gpu"]), subject)).toBe(false);
  expect(holds(hasAny("verifiedBy", [A, B]), subject)).toBe(false);
});

test("before a status that votes made or unmade, the counts were one vote away", () => {
  const counts = (now: { verifies: number; refutes: number }, from: Trace["status"], to: Trace["status"]) =>
    subjectsBefore(subjectOfTrace(gone, { ...trace, ...now, status: from }, 0), from, to)
      .slice(1)
      .map(({ number }) => `${number.verifies}:${number.refutes}`)
      .sort();
  expect(counts({ verifies: 1, refutes: 0 }, "open", "verified")).toEqual(["0:0"]);
  expect(counts({ verifies: 0, refutes: 1 }, "open", "disputed")).toEqual(["0:0"]);
  expect(counts({ verifies: 0, refutes: 0 }, "verified", "open")).toEqual(["1:0"]);
  expect(counts({ verifies: 0, refutes: 1 }, "verified", "disputed")).toEqual(["1:0"]);
  expect(counts({ verifies: 1, refutes: 1 }, "verified", "disputed")).toEqual(["1:0", "2:0", "2:1"]);
  expect(counts({ verifies: 0, refutes: 0 }, "open", "claimed")).toEqual([]);
});

test("after a status that votes made, they were as they are, unless the message has moved on and they do not make it", () => {
  const counts = (now: { verifies: number; refutes: number }, to: Trace["status"], present: Trace["status"]) =>
    subjectsAfter(
      subjectOfTrace(gone, { ...trace, ...now, verifiedBy: Array.from({ length: now.verifies }, () => B), status: to }, 0),
      to,
      present,
    ).map(({ number, has }) => `${number.verifies}:${number.refutes}${has("verifiedBy", A) ? " by anybody" : ""}`);
  expect(counts({ verifies: 1, refutes: 0 }, "verified", "verified")).toEqual(["1:0"]);
  expect(counts({ verifies: 1, refutes: 0 }, "verified", "resolved")).toEqual(["1:0"]);
  // By its answers.
  expect(counts({ verifies: 0, refutes: 0 }, "verified", "verified")).toEqual(["0:0"]);
  expect(counts({ verifies: 0, refutes: 0 }, "verified", "open")).toEqual(["0:0", "1:0 by anybody"]);
  expect(counts({ verifies: 0, refutes: 0 }, "disputed", "open")).toEqual(["0:0", "0:1"]);
});
