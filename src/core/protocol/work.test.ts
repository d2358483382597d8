// Proof of work against values that another implementation computed.
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ID } from "../../../test/support/payload.ts";
import { leadingZeroBits, workBits } from "./work.ts";

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
