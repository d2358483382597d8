// The shape rules of keys and signatures: what libraries differ about never reaches them.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { add, BASE, encodePoint, encodeScalar, L, NEUTRAL, samePoint, times, TORSION } from "../../../test/support/ed25519.ts";
import { outcome } from "../../../test/support/outcome.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { requireSoundKey, requireSoundSignature } from "./require-strict-ed25519.ts";

const P = 2n ** 255n - 19n;
const SIGN_BIT = 2n ** 255n;
const GOOD = encodePoint(BASE);
const keyOutcome = (key: Uint8Array): string => outcome(() => requireSoundKey(key));
const sigOutcome = (r: Uint8Array, s: bigint): string => outcome(() => requireSoundSignature(Buffer.concat([r, encodeScalar(s)])));

describe.skipIf(noVectors)(`a low-order point would let one signature fit many messages ${WITH_VECTORS}`, () => {
  const encodings = noVectors ? [] : vectorJson<string[]>("local/ed25519_low_order_encodings.json");
  test.for(encodings)("%s is neither a key nor the first half of a signature", (hex) => {
    expect(keyOutcome(Buffer.from(hex, "hex"))).toBe("bad_key");
    expect(sigOutcome(Buffer.from(hex, "hex"), 1n)).toBe("bad_signature");
  });
});

test("all eight points of low order are refused, computed from a generator of them", () => {
  const points = Array.from({ length: 8 }, (_, n) => times(BigInt(n), TORSION));
  expect(new Set(points.map((point) => encodePoint(point).toString("hex"))).size).toBe(8);
  for (const point of points) {
    expect(samePoint(times(8n, point), NEUTRAL)).toBe(true);
    expect(keyOutcome(encodePoint(point))).toBe("bad_key");
    expect(sigOutcome(encodePoint(point), 1n)).toBe("bad_signature");
  }
});

describe("a number that is not reduced would give one key or signature two spellings", () => {
  test("every y from p to 2^255-1 is refused, with either sign", () => {
    for (let y = P; y < SIGN_BIT; y++) {
      for (const sign of [0n, SIGN_BIT]) {
        expect(keyOutcome(encodeScalar(y + sign))).toBe("bad_key");
        expect(sigOutcome(encodeScalar(y + sign), 1n)).toBe("bad_signature");
      }
    }
  });

  test("the largest reduced y values pass this check", () => {
    for (const y of [P - 2n, P - 3n, P - 256n]) expect(keyOutcome(encodeScalar(y))).toBe("ok");
  });

  test.for([
    ["0", 0n, "ok"],
    ["L-1", L - 1n, "ok"],
    ["L", L, "bad_signature"],
    ["L+1", L + 1n, "bad_signature"],
    ["2^252", 2n ** 252n, "ok"],
    ["2^253", 2n ** 253n, "bad_signature"],
    ["2^256-1", 2n ** 256n - 1n, "bad_signature"],
  ] as const)("S = %s", ([, s, expected]) => {
    expect(sigOutcome(GOOD, s)).toBe(expected);
  });

  test("for any S the rule is S < L", () => {
    fc.assert(
      fc.property(fc.oneof(fc.bigInt(0n, 2n ** 256n - 1n), fc.bigInt(L - 1000n, L + 1000n)), (s) => {
        expect(sigOutcome(GOOD, s)).toBe(s < L ? "ok" : "bad_signature");
      }),
    );
  });
});

test("keys of honest agents, and mixed-order points, pass this check", () => {
  for (let n = 1n; n < 20n; n++) {
    const point = times(n, BASE);
    expect(keyOutcome(encodePoint(point))).toBe("ok");
    expect(keyOutcome(encodePoint(add(point, TORSION)))).toBe("ok");
  }
});
