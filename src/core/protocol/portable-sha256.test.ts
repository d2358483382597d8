import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { portableSha256 } from "./portable-sha256.ts";

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
