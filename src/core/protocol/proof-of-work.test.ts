// Proof of work against values that another implementation computed.
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ID } from "../../../test/support/payload.ts";
import { leadingZeroBits, mine, mineSlice, workBits } from "./proof-of-work.ts";

// Computed with Python's hashlib.
const KNOWN: readonly (readonly [nonce: string, bits: number])[] = [
  ["2", 0],
  ["1", 1],
  ["0", 2],
  ["f6", 7],
  ["11", 8],
  ["ip", 9],
  ["55", 15],
  ["4si", 16],
];

test.for(KNOWN)("the nonce %s proves %i bits for every implementation", ([nonce, bits]) => {
  expect(workBits(ID, nonce)).toBe(bits);
});

test("leading zero bits are counted as in a 256-bit number", () => {
  expect(leadingZeroBits(new Uint8Array(32))).toBe(256);
  fc.assert(
    fc.property(fc.nat(31), fc.uint8Array({ minLength: 32, maxLength: 32 }), (zeros, bytes) => {
      bytes.fill(0, 0, zeros);
      const number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
      expect(leadingZeroBits(bytes)).toBe(number === 0n ? 256 : 256 - number.toString(2).length);
    }),
  );
});

test("the work is over `<id>:<nonce>` as text", () => {
  const digest = createHash("sha256").update(`${ID}:4si`).digest("hex");
  expect(digest.startsWith("0000")).toBe(true);
  expect(workBits(ID.toUpperCase(), "4si")).not.toBe(16);
});

/** Another way to the same number. */
const naiveBits = (id: string, nonce: string): number => leadingZeroBits(createHash("sha256").update(`${id}:${nonce}`).digest());

describe("a miner", () => {
  test("finds the first nonce that is good enough", () => {
    expect(mine(ID, 0)).toBe("0");
    expect(mine(ID, 16)).toBe("4si");
  });

  test("can be run in slices that together try what one run tries", () => {
    const at = Number.parseInt("4si", 36);
    expect(mineSlice(ID, 16, 0, at)).toBeUndefined();
    expect(mineSlice(ID, 16, 0, at + 1)).toBe("4si");
    expect(mineSlice(ID, 16, at, 1)).toBe("4si");
    expect(mineSlice(ID, 16, at + 1, 100)).toBeUndefined();
  });

  test("tries each nonce once and passes over none, at every length that a nonce can have", () => {
    const ranges = fc.record({ start: fc.oneof(fc.nat(2000), fc.nat(2 ** 31), fc.maxSafeNat()), bits: fc.integer({ min: 3, max: 9 }) });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), ranges, (bytes, { start, bits }) => {
        const from = Math.min(start, Number.MAX_SAFE_INTEGER - 100);
        const id = Buffer.from(bytes).toString("hex");
        const good = Array.from({ length: 100 }, (_, i) => (from + i).toString(36)).find((nonce) => naiveBits(id, nonce) >= bits);
        expect(mineSlice(id, bits, from, 100)).toBe(good);
      }),
    );
  });
});
