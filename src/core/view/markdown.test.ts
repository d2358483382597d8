// Marked words have no blank between them, and a skeleton has no word of a stranger.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fencedLines, hostile, recordBy } from "../../../test/support/hostile-words.ts";
import { SEED } from "../../../test/support/random.ts";
import type { Payload } from "../protocol/payload.ts";
import { fence, withJoint } from "./fence.ts";
import { markdownDocument } from "./markdown.ts";
import { skeletonOf } from "./record-without-text.ts";

const anyPayload = fc
  .record({ title: hostile, body: hostile, tag: hostile, key: hostile, kind: fc.constantFrom("note", "x-strange") })
  .map(({ title, body, tag, key, kind }): Payload => ({ v: 1, pk: "", ts: 0, kind, title, body, tags: [tag], data: { [key]: body } }));

test("marked words have no blank between them, and none of them is the mark", () => {
  fc.assert(
    fc.property(anyPayload, fc.stringMatching(/^[0-9a-f]{12}$/), (payload, token) => {
      fc.pre(!JSON.stringify(payload).includes(token));
      const marks = withJoint(fence(token));
      const { inside } = fencedLines(markdownDocument("Messages", [], [recordBy(payload)], marks), marks);
      for (const line of inside) expect(line).not.toMatch(/[\s\u{2800}\u{13441}\u{13442}\u{16FE4}\u{1D159}]/u);
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
