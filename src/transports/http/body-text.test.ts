// Bytes become text only where every reader would read the same text.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { outcome } from "../../../test/support/outcome.ts";
import { noVectors, vectorBytes, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { readText } from "./body-text.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
const read = (bytes: Buffer): string => outcome(() => readText(bytes));

/** `number:valid:text`, `number:valid hex:bytes` or `number:invalid hex:bytes:...`. */
function utf8Cases(): { readonly number: string; readonly bytes: Buffer; readonly valid: boolean }[] {
  const lines = vectorBytes("utf8/utf8tests.txt").toString("ascii").split("\n");
  return lines.flatMap((line) => {
    const [number = "", type = "", data = ""] = line.startsWith("#") ? [] : line.split(":");
    if (!/^(in)?valid( hex)?$/.test(type)) return [];
    return [{ number, bytes: type.endsWith("hex") ? hex(data) : Buffer.from(data), valid: !type.startsWith("in") }];
  });
}

describe.skipIf(noVectors)(`overlong, too large, surrogate and broken sequences never reach a signature check ${WITH_VECTORS}`, () => {
  const cases = noVectors ? [] : utf8Cases();

  test("the vectors hold both kinds", () => {
    expect(cases.filter(({ valid }) => valid).length).toBeGreaterThan(30);
    expect(cases.filter(({ valid }) => !valid).length).toBeGreaterThan(80);
  });
  test.for(cases)("$number", ({ bytes, valid }) => {
    expect(read(bytes)).toBe(valid ? "ok" : "invalid_utf8");
    expect(read(Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]))).toBe(valid ? "ok" : "invalid_utf8");
    if (valid) expect(Buffer.from(readText(bytes))).toEqual(bytes);
  });
});

describe("a byte order mark", () => {
  test("at the start is refused, because it would not be part of anyone's signature", () => {
    expect(read(hex("ef bb bf"))).toBe("invalid_utf8");
    expect(read(hex("ef bb bf 7b 7d"))).toBe("invalid_utf8");
  });
  test("of UTF-16 is refused", () => {
    expect(read(Buffer.from("\ufeff{}", "utf16le"))).toBe("invalid_utf8");
  });
  test("inside a text is a character like any other", () => {
    expect(readText(Buffer.from('{"a":"\ufeff"}'))).toBe('{"a":"\ufeff"}');
  });
});

test("what is read back as UTF-8 is the same bytes, for any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = Buffer.from(text);
      expect(read(bytes)).toBe(text.startsWith("\ufeff") ? "invalid_utf8" : "ok");
      if (!text.startsWith("\ufeff")) expect(readText(bytes)).toBe(text);
    }),
  );
});

test("any bytes are read exactly or refused, never repaired", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decodes = (bytes: Uint8Array): boolean => {
    try {
      return strict.decode(bytes)[0] !== "\ufeff";
    } catch {
      return false;
    }
  };
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.array(fc.constantFrom(0xef, 0xbb, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0x80, 0xa0, 0x41)),
  );
  fc.assert(
    fc.property(bytes, (values) => {
      const buffer = Buffer.from(values);
      expect(read(buffer)).toBe(decodes(buffer) ? "ok" : "invalid_utf8");
      if (read(buffer) === "ok") expect(Buffer.from(readText(buffer))).toEqual(buffer);
    }),
    { numRuns: 1000 },
  );
});

test("no body is an empty text", () => {
  expect(readText(undefined)).toBe("");
  expect(readText(Buffer.alloc(0))).toBe("");
});
