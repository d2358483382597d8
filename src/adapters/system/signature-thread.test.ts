// Both signature libraries held to one strict rule, to published vectors and to each other.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { add, BASE, challenge, encodePoint, encodeScalar, L, strictlyValid, times, TORSION } from "../../../test/support/ed25519.ts";
import { outcome } from "../../../test/support/outcome.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { PUBLIC_KEY, SIGNATURE, toBase64url } from "../../core/protocol/encoding.ts";
import { requireSoundKey, requireSoundSignature } from "../../core/protocol/require-strict-ed25519.ts";
import { checker, withOpenssl, withSodium } from "./signature-thread.ts";

type Check = ReturnType<typeof withOpenssl>;

const sodium = withSodium();
const openssl = withOpenssl();
const LIBRARIES: readonly { readonly name: string; readonly check: Check }[] = [
  ...(sodium === undefined ? [] : [{ name: "libsodium", check: sodium }]),
  { name: "OpenSSL", check: openssl },
];

/** What the board says to these bytes: spelling, shape, then the library. */
function accepted(check: Check, key: Uint8Array, sig: Uint8Array, message: Uint8Array): boolean {
  if (!PUBLIC_KEY.test(toBase64url(key)) || !SIGNATURE.test(toBase64url(sig))) return false;
  const shape = outcome(() => {
    requireSoundKey(key);
    requireSoundSignature(sig);
  });
  if (shape !== "ok") return false;
  try {
    return check(key, sig, Buffer.from(message));
  } catch {
    return false;
  }
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");

test("libsodium is there on the machines that run these tests, so both are compared", () => {
  expect(LIBRARIES.map(({ name }) => name)).toEqual(["libsodium", "OpenSSL"]);
});

interface Wycheproof {
  readonly testGroups: readonly {
    readonly publicKey: { readonly pk: string };
    readonly tests: readonly { readonly tcId: number; readonly msg: string; readonly sig: string; readonly result: string }[];
  }[];
}

describe.skipIf(noVectors)(`Wycheproof: forged, truncated and malleable signatures are refused, good ones taken ${WITH_VECTORS}`, () => {
  const { testGroups } = noVectors ? { testGroups: [] } : vectorJson<Wycheproof>("ed25519/wycheproof_ed25519_test.json");

  test.for(LIBRARIES)("by $name", ({ check }) => {
    const cases = testGroups.flatMap(({ publicKey, tests }) => tests.map((one) => ({ key: hex(publicKey.pk), ...one })));
    expect(cases.length).toBeGreaterThan(100);
    const wrong = cases.filter(({ key, sig, msg, result }) => accepted(check, key, hex(sig), hex(msg)) !== (result === "valid"));
    expect(wrong.map(({ tcId }) => tcId)).toEqual([]);
  });

  test("the reference of these tests says the same", () => {
    const wrong = testGroups.flatMap(({ publicKey, tests }) =>
      tests.filter(({ sig, msg, result }) => strictlyValid(hex(publicKey.pk), hex(sig), hex(msg)) !== (result === "valid")),
    );
    expect(wrong).toEqual([]);
  });
});

interface Speccheck {
  readonly message: string;
  readonly pub_key: string;
  readonly signature: string;
}

describe.skipIf(noVectors)(`speccheck: the cases on which Ed25519 libraries disagree have one outcome here ${WITH_VECTORS}`, () => {
  const cases = noVectors ? [] : vectorJson<Speccheck[]>("ed25519/speccheck_cases.json");
  // 0 to 2 hold a low-order A or R, 4 and 5 hold only with the cofactor, 6 and 7 have S >= L, 8 to 11 a non-canonical R or A.
  const DOCUMENTED = Array.from({ length: 12 }, (_, number) => number === 3);

  test.for(LIBRARIES)("by $name", ({ check }) => {
    expect(cases.map((one) => accepted(check, hex(one.pub_key), hex(one.signature), hex(one.message)))).toEqual(DOCUMENTED);
  });

  test("the reference of these tests says the same", () => {
    expect(cases.map((one) => strictlyValid(hex(one.pub_key), hex(one.signature), hex(one.message)))).toEqual(DOCUMENTED);
  });
});

describe("mixed-order keys: a board on one library and a mirror on another agree about every message", () => {
  // A = a*B + T and R = r*B + j*T: the equation without the cofactor holds for about every eighth message.
  const a = 123_456_789n;
  const key = encodePoint(add(times(a, BASE), TORSION));
  const cases = Array.from({ length: 48 }, (_, n) => {
    const message = Buffer.from(`message ${n}`);
    const r = BigInt(n) + 77n;
    const point = encodePoint(n % 2 === 0 ? times(r, BASE) : add(times(r, BASE), TORSION));
    const s = (r + challenge(point, key, message) * a) % L;
    return { message, sig: Buffer.concat([point, encodeScalar(s)]) };
  });
  const expected = cases.map(({ sig, message }) => strictlyValid(key, sig, message));

  test("the cases hold both outcomes", () => {
    expect(new Set(expected)).toEqual(new Set([true, false]));
  });
  test.for(LIBRARIES)("by $name", ({ check }) => {
    expect(cases.map(({ sig, message }) => accepted(check, key, sig, message))).toEqual(expected);
  });
});

describe("the check that the thread runs", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const text = "Grüße, 世界 👋";
  const sig = sign(null, Buffer.from(text, "utf8"), privateKey);

  test.for(LIBRARIES)("$name takes a signature over the text's UTF-8 bytes", ({ check }) => {
    expect(checker(check)({ key, sig, text })).toBe(true);
    expect(checker(check)({ key, sig, text: `${text} ` })).toBe(false);
  });

  test.for(LIBRARIES)("$name refuses a signature with any one bit changed", ({ check }) => {
    fc.assert(
      fc.property(fc.nat(511), (bit) => {
        const forged = Uint8Array.from(sig);
        forged[bit >> 3]! ^= 1 << (bit & 7);
        expect(checker(check)({ key, sig: forged, text })).toBe(false);
      }),
    );
  });

  test.for(LIBRARIES)("$name says no, and does not throw, to a key that is off the curve or of another length", ({ check }) => {
    expect(strictlyValid(encodeScalar(2n), sig, Buffer.from(text))).toBe(false);
    expect(checker(check)({ key: encodeScalar(2n), sig, text })).toBe(false);
    expect(checker(check)({ key: key.subarray(1), sig, text })).toBe(false);
  });

  test("random bytes as key and signature get the same answer from both", () => {
    const checks = LIBRARIES.map(({ check }) => checker(check));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ minLength: 64, maxLength: 64 }), (key, sig) => {
        expect(new Set(checks.map((check) => check({ key, sig, text })))).toEqual(new Set([false]));
      }),
    );
  });

  test("an agent whose key OpenSSL has let go of in between is still recognised", () => {
    const check = checker(withOpenssl());
    expect(check({ key, sig, text })).toBe(true);
    const seed = Buffer.from("302e020100300506032b657004220420", "hex");
    for (let n = 0; n < 1001; n++) {
      const other = createPrivateKey({ key: Buffer.concat([seed, encodeScalar(BigInt(n))]), format: "der", type: "pkcs8" });
      const pk = Buffer.from(createPublicKey(other).export({ format: "jwk" }).x ?? "", "base64url");
      expect(check({ key: pk, sig, text })).toBe(false);
    }
    expect(check({ key, sig, text })).toBe(true);
  });
});
