import { array, assert, integer, property, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { SEED } from "../../test/support/random.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { PageJson } from "./page-json.ts";

const LARGE = 800_000;
const REST = '],"next_cursor":null';

const jsonOf = (text: string) => ({ text, bytes: Buffer.byteLength(text) });

test(`a large page says what a small one would, whatever letters it holds (SEED=${SEED})`, () => {
  const records = array(
    tuple(string({ unit: "grapheme", maxLength: 20 }), integer({ min: 0, max: 200_000 })).map(([text, more]) =>
      JSON.stringify({ text, more: "é".repeat(more) }),
    ),
    { maxLength: 12 },
  );
  assert(
    property(records, integer({ min: 0, max: 12 }), (all, most) => {
      const page = new PageJson();
      for (const one of all) page.add(jsonOf(one));
      const count = Math.min(most, all.length);
      const shown = page.isLarge ? page.bytes(count, `${REST}}`) : page.text(count, REST).followedBy("}").toBytes();
      expect(shown.toString()).toBe(`{"messages":[${all.slice(0, count).join()}${REST}}`);
      expect(page.size).toBe(Buffer.byteLength(all.join("")));
    }),
    { seed: SEED, numRuns: 40 },
  );
});

test("a record that would be too much tells its size, and leaves what stands before it whole", () => {
  const page = new PageJson();
  const record = JSON.stringify("x".repeat(LARGE));
  const fits = Math.floor(LIMITS.page_bytes / record.length);
  for (let i = 0; i <= fits; i++) expect(page.add(jsonOf(record))).toBe(record.length);
  expect(page.isLarge).toBe(true);
  expect(JSON.parse(page.bytes(fits, `${REST}}`).toString())).toMatchObject({ messages: { length: fits }, next_cursor: null });
});
