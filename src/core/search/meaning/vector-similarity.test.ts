import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bitCount, cosine, writeSignBits } from "./vector-similarity.ts";

test("cosine: the same direction is exactly 1, the opposite and nothing are 0", () => {
  fc.assert(
    fc.property(fc.int8Array({ minLength: 128, maxLength: 128, min: -127 }), (vector) => {
      const some = vector.some((number) => number !== 0);
      expect(cosine(vector, vector)).toBe(some ? 1 : 0);
      expect(
        cosine(
          vector,
          vector.map((number) => -number),
        ),
      ).toBe(0);
      expect(cosine(vector, new Int8Array(128))).toBe(0);
    }),
  );
});

test("signs: a bit for each number above 0", () => {
  const words = new Uint32Array(2);
  writeSignBits(
    Int8Array.from({ length: 64 }, (_, at) => (at % 3 === 0 ? 5 : -5)),
    words,
    0,
  );
  expect(bitCount(words[0]!) + bitCount(words[1]!)).toBe(22);
  expect(bitCount(0xffffffff)).toBe(32);
});
