// The one spelling of keys, signatures and nonces, and lengths in code points.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { AGENT_ID, codePoints, firstCodePoints, fromBase64url, MESSAGE_ID, NONCE, PUBLIC_KEY, SIGNATURE, toBase64url } from "./encoding.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

interface Spelling {
  readonly field: "pk" | "sig";
  readonly value: string;
  readonly ok: boolean;
  readonly why: string;
}

describe.skipIf(noVectors)(`a key or signature has one spelling ${WITH_VECTORS}`, () => {
  const cases = noVectors ? [] : vectorJson<Spelling[]>("local/base64url_cases.json");
  test.for(cases)("$field: $why", ({ field, value, ok, why }) => {
    expect((field === "pk" ? PUBLIC_KEY : SIGNATURE).test(value)).toBe(ok || why === "padding");
  });
});

describe("a key or signature that can be spelt twice would give one agent two names", () => {
  test.for([
    { name: "pk", pattern: PUBLIC_KEY, length: 43, endings: 16 },
    { name: "sig", pattern: SIGNATURE, length: 86, endings: 4 },
  ])("$name: of all last characters exactly those without spare bits pass", ({ pattern, length, endings }) => {
    const spelt = Array.from(ALPHABET, (last) => "A".repeat(length - 1) + last);
    const passing = spelt.filter((text) => pattern.test(text));
    expect(passing).toEqual(spelt.filter((text) => toBase64url(fromBase64url(text)) === text));
    expect(passing).toHaveLength(endings);
  });

  test("every key and signature that a library makes passes, and decodes to the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ minLength: 64, maxLength: 64 }), (key, sig) => {
        expect(toBase64url(key)).toMatch(PUBLIC_KEY);
        expect(toBase64url(sig)).toMatch(SIGNATURE);
        expect(Uint8Array.from(fromBase64url(toBase64url(key)))).toEqual(key);
      }),
    );
  });

  test("a line break after the last character is refused", () => {
    expect(PUBLIC_KEY.test(`${"A".repeat(43)}\n`)).toBe(false);
    expect(SIGNATURE.test(`${"A".repeat(86)}\n`)).toBe(false);
    expect(MESSAGE_ID.test(`${"a".repeat(64)}\n`)).toBe(false);
    expect(AGENT_ID.test(`ag_${"a".repeat(20)}\n`)).toBe(false);
    expect(NONCE.test("abc\n")).toBe(false);
  });
});

describe("a nonce is 1 to 64 visible ASCII characters", () => {
  test.for(["0", "!", "~", "x".repeat(64), "{\"'\\:}"])("%j passes", (nonce) => {
    expect(nonce).toMatch(NONCE);
  });
  test.for(["", "x".repeat(65), "a b", "\t", "\u007f", "\u0000", "é", "１"])("%j is refused", (nonce) => {
    expect(nonce).not.toMatch(NONCE);
  });
});

describe("ids are lower-case hex of one length", () => {
  test.for(["a".repeat(63), "a".repeat(65), "A".repeat(64), "g".repeat(64)])("%s is no message id", (id) => {
    expect(id).not.toMatch(MESSAGE_ID);
  });
  test.for([`ag_${"0".repeat(19)}`, `ag_${"0".repeat(21)}`, `ag_${"A".repeat(20)}`, "0".repeat(20), `AG_${"0".repeat(20)}`])(
    "%s is no agent id",
    (id) => {
      expect(id).not.toMatch(AGENT_ID);
    },
  );
});

describe("lengths count what a reader sees as one character of Unicode, not UTF-16 units", () => {
  test("codePoints agrees with the language's own iteration", () => {
    expect(codePoints("👋🌍")).toBe(2);
    fc.assert(fc.property(anyText, (text) => codePoints(text) === Array.from(text).length));
  });

  test("firstCodePoints never cuts a pair in half", () => {
    expect(firstCodePoints("a👋b", 2)).toBe("a👋");
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, count) => {
        expect(firstCodePoints(text, count)).toBe(Array.from(text).slice(0, count).join(""));
      }),
    );
  });
});
