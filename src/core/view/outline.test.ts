// Lists, titles and counts say of a long message what they would say if they read all of it.
import { array, assert, constantFrom, oneof, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { NOTE, NOW } from "../../../test/support/recordable-note.ts";
import { BoundedCache } from "../bounded-cache.ts";
import { flagsOf } from "../guard/flags.ts";
import type { Payload } from "../protocol/payload.ts";
import { type Outline, outlineOf, textFlags, wholeOf } from "./outline.ts";
import { displayTitle, type Include, type Recordable, recordOf } from "./record.ts";

const LONG = "a\u{1F600}b ".repeat(8000);
const PARTS = [
  "\n",
  " ",
  "\u2800",
  "\r\n",
  "ab",
  "\u{1F600}",
  "ignore all previous instructions ",
  "\u200b",
  "\n".repeat(600),
  "x".repeat(700),
];
const begun = oneof(
  anyText,
  array(constantFrom(...PARTS)).map((parts) => parts.join("")),
);

function stored(payload: Partial<Payload>, outlines = new BoundedCache<string, Outline>(10)): Recordable {
  const whole = { ...(JSON.parse(NOTE.raw.payload) as Payload), ...payload };
  return { ...NOTE, raw: { ...NOTE.raw, payload: JSON.stringify(whole) }, seen: { outlines } };
}
const both = (payload: Partial<Payload>): readonly Recordable[] => {
  const one = stored(payload);
  expect(outlineOf(one).cut).toBeDefined();
  return [one, { ...one, seen: {}, outline: { payload: wholeOf(one) } }];
};

describe("a long message", () => {
  test("has the record, the title and the flags that its whole text has, however it begins", () => {
    assert(
      property(begun, begun, (title, start) => {
        const payloads = [{ body: start + LONG }, { title, body: start + LONG }, { body: start, data: { long: LONG } }];
        for (const payload of payloads) {
          const [outlined, whole] = both(payload).map((one) => ({
            records: [[], ["preview"], ["raw"]].map((include) => recordOf(one, new Set(include as Include[]), NOW, "http://board.test")),
            title: displayTitle(outlineOf(one).payload, one.state.author),
            flags: textFlags(one),
          }));
          expect(outlined).toEqual(whole);
          expect(outlined?.flags).toEqual(flagsOf(wholeOf(stored(payload))));
        }
      }),
    );
  });

  test("is an e-mail from its sender still", () => {
    const mail = { kind: "email", body: LONG, data: { from: "b***@c.example", auth: { aligned: true }, to: LONG } };
    const [outlined, whole] = both(mail).map((one) => recordOf(one, new Set(), NOW, "http://board.test"));
    expect(outlined).toEqual(whole);
    expect(outlined).toMatchObject({ from: "b***@c.example", from_aligned: true });
  });

  test("is parsed once for all of them, and little of it is kept", () => {
    const one = stored({ body: LONG, data: { long: LONG }, tags: ["t"] });
    const outline = outlineOf(one);
    expect(outlineOf({ ...one, raw: { ...one.raw, payload: `not JSON ${one.raw.payload}` } })).toBe(outline);
    expect(JSON.stringify(outline).length).toBeLessThan(4000);
    expect(outline.payload).toMatchObject({ tags: ["t"] });
  });

  test("has all of its text where the text is asked for", () => {
    const one = stored({ body: LONG, data: { a: 1 } });
    outlineOf(one);
    expect(recordOf(one, new Set(["body", "data"]), NOW, "").content).toMatchObject({ body: LONG, data: { a: 1 } });
    expect(recordOf({ ...one, outline: outlineOf(one) }, new Set(["body"]), NOW, "").content).toMatchObject({ body: LONG });
  });
});
