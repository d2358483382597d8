// The miner finds what the work check accepts, and its hash is the one that OpenSSL computes.
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ID } from "../../../test/support/payload.ts";
import { mine, mineSlice } from "./mining.ts";
import { portableSha256 } from "./sha256-block.ts";
import { workBits } from "./work.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("the portable hash of any bytes and any text is the same as everywhere", () => {
  const lengths = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000];
  for (const length of lengths) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
    expect(hex(portableSha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(hex(portableSha256(text))).toBe(createHash("sha256").update(text).digest("hex"));
    }),
  );
});

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
        const id = hex(bytes);
        const good = Array.from({ length: 100 }, (_, i) => (from + i).toString(36)).find((nonce) => workBits(id, nonce) >= bits);
        expect(mineSlice(id, bits, from, 100)).toBe(good);
      }),
    );
  });
});
