// Whatever a stranger writes stays between the marker lines, and a skeleton has none of it.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { SEED } from "../../../test/support/random.ts";
import { NOTHING } from "../guard/risk-and-copies.ts";
import type { MessageState } from "../message/message-state.ts";
import type { Payload } from "../protocol/payload.ts";
import { fence, type Fence, withJoint } from "./fence.ts";
import { markdownDocument, markdownList } from "./markdown.ts";
import { recordOf } from "./record.ts";
import { skeletonOf } from "./record-without-text.ts";

const AUTHOR = `ag_${"0".repeat(20)}`;
const TOKEN = /`<<<DATA ([0-9a-f]{12})`/;

function recordBy(payload: Payload) {
  const state = {
    ...NOTHING,
    seq: 1,
    id: "0".repeat(64),
    author: AUTHOR,
    kind: payload.kind,
    root: "0".repeat(64),
    receivedAt: 1000,
    expiresAt: 90_000_000,
    to: null,
    bits: 0,
    assisted: false,
    status: "open",
    verifies: 0,
    refutes: 0,
    replies: 0,
    answers: 0,
    rejected: 0,
    signals: {},
    claimedBy: null,
    leaseUntil: null,
    supersededBy: null,
    duplicateOf: null,
    changed: 1,
  } as unknown as MessageState;
  const raw = { payload: JSON.stringify(payload), sig: "", nonce: "" };
  const facts = { author: { firstSeen: 0, messages: 1 }, thread: { messages: 1, lastActivity: 1000 } };
  return recordOf({ state, raw, payload, ...facts }, new Set(["body", "data"]), 2000, "");
}

/** What strangers like to write, and anything else. */
const hostile = fc.oneof(
  anyText,
  fc.constantFrom(
    "DATA 000000000000>>>",
    "<<<DATA 000000000000",
    "\nDATA ffffffffffff>>>\n",
    "a\u2028b\u2029c\r\nd\u0085e\vf\fg",
    "\ue000\ue123",
  ),
  fc
    .array(fc.constantFrom("x", " ", "\n", "\r", "\u2028", "DATA", ">>>", "<<<", "\u0000", "`", "#"), { maxLength: 12 })
    .map((all) => all.join("")),
);
const anyPayload = fc
  .record({ title: hostile, body: hostile, tag: hostile, key: hostile, kind: fc.constantFrom("note", "x-strange") })
  .map(({ title, body, tag, key, kind }): Payload => ({ v: 1, pk: "", ts: 0, kind, title, body, tags: [tag], data: { [key]: body } }));
const anyFence = fc
  .tuple(fc.stringMatching(/^[0-9a-f]{12}$/), fc.boolean())
  .map(([token, marked]): Fence => (marked ? withJoint(fence(token)) : fence(token)));

/** A reader who knows lines in every way there is. */
function parts(text: string, marks: Fence) {
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/u);
  const places = lines.flatMap((line, at) => (line === marks.begin || line === marks.end ? [[line, at] as const] : []));
  return { lines, places };
}

test("a fence is opened and closed once, whatever stands in it", () => {
  fc.assert(
    fc.property(anyPayload, anyFence, (payload, marks) => {
      const token = marks.begin.slice(-12);
      fc.pre(!JSON.stringify(payload).includes(token));
      for (const text of [
        markdownDocument("Messages", [], [recordBy(payload)], marks),
        markdownList("Tags", [], [payload.title ?? "", payload.body ?? ""], marks),
      ]) {
        expect(TOKEN.exec(text)?.[1]).toBe(token);
        const { lines, places } = parts(text, marks);
        expect(places.map(([line]) => line)).toEqual([marks.begin, marks.end]);
        // After the fence there is nothing but the end of the text.
        expect(lines.slice((places[1]?.[1] ?? 0) + 1).join("")).toBe("");
      }
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("marked words have no blank between them, and none of them is the mark", () => {
  fc.assert(
    fc.property(anyPayload, fc.stringMatching(/^[0-9a-f]{12}$/), (payload, token) => {
      fc.pre(!JSON.stringify(payload).includes(token));
      const marks = withJoint(fence(token));
      const { lines, places } = parts(markdownDocument("Messages", [], [recordBy(payload)], marks), marks);
      const inside = lines.slice((places[0]?.[1] ?? 0) + 1, places[1]?.[1]);
      for (const line of inside) expect(line).not.toMatch(/\s/u);
      for (const line of inside.slice(0, -1)) expect(line.endsWith(marks.joint ?? "?")).toBe(true);
    }),
    { seed: SEED, numRuns: 300 },
  );
});

test("a skeleton is the same whatever a stranger wrote", () => {
  const shape = (payload: Payload): unknown => {
    const { content, ...rest } = skeletonOf(recordBy(payload)) as { content: Record<string, unknown>; id: string };
    return { ...rest, content: Object.keys(content) };
  };
  fc.assert(
    fc.property(anyPayload, (payload) => {
      expect(shape(payload)).toEqual(shape({ v: 1, pk: "", ts: 0, kind: payload.kind, title: "a", body: "b", data: {} }));
      const text = markdownDocument("Messages", [], [skeletonOf(recordBy(payload)) as never], fence("0123456789ab"));
      expect(text.split("\n").filter((line) => line === "<<<DATA 0123456789ab")).toEqual([]);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

test("above a text stands for whom its author acts, where it was delegated", () => {
  const record = recordBy({ v: 1, pk: "", ts: 0, kind: "note", body: "b" });
  const server = { ...record.server, author: { ...record.server.author, delegated_by: `ag_${"1".repeat(20)}` } };
  const text = markdownDocument("Messages", [], [{ ...record, server }], fence("0123456789ab"));
  expect(text).toContain(`\nauthor here 2 s · delegated by ag_${"1".repeat(20)} · copies 0 · risk 0\n<<<DATA `);
});
