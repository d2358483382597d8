import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Meanings } from "./meanings.ts";
import { bitCount, cosine, writeSignBits } from "./vector-similarity.ts";

const vectors = fc.array(fc.int8Array({ minLength: 64, maxLength: 64 }), { minLength: 1, maxLength: 60 });

test("the nearest are those of the largest cosine, the nearest first and the newest among equals", () => {
  fc.assert(
    fc.property(vectors, fc.int8Array({ minLength: 64, maxLength: 64 }), fc.nat(20), (rows, asked, most) => {
      const meanings = new Meanings(64);
      for (const row of rows) meanings.add(row);
      const naive = rows.map((vector, row) => ({ row, cosine: cosine(asked, vector) })).filter((one) => one.cosine > 0);
      naive.sort((a, b) => b.cosine - a.cosine || b.row - a.row);
      expect(meanings.nearest(asked, most)).toEqual(naive.slice(0, most));
    }),
  );
});

test("rows beyond the first thousand are found, and unwanted ones take nobody's place", () => {
  const meanings = new Meanings(32);
  const own = (row: number): Int8Array => Int8Array.from({ length: 32 }, (_, at) => ((row >> (at % 12)) & 1) * 100 - 50);
  for (let row = 0; row < 3000; row++) expect(meanings.add(own(row))).toBe(row);
  expect(meanings.rows).toBe(3000);
  expect(meanings.nearest(own(2999), 1)).toEqual([{ row: 2999, cosine: 1 }]);
  const even = meanings.nearest(own(2999), 400, (row) => row % 2 === 0);
  expect(even).toHaveLength(400);
  expect(even.every(({ row }) => row % 2 === 0)).toBe(true);
});

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
