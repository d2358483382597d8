// Ids against values that another implementation computed.
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { ID, noteText, PK } from "../../../test/support/payload.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";

// Computed with Python's hashlib.
const TEXT = noteText({ body: "Grüße, 世界 👋" });

test("a message id is the SHA-256 of the payload's UTF-8 bytes, so every client computes the same one", () => {
  expect(TEXT).toBe(`{"v":1,"pk":"${PK}","ts":1767225600,"kind":"note","body":"Grüße, 世界 👋"}`);
  expect(messageId(TEXT)).toBe(ID);
});

test("one byte more is another message: nothing is normalised before hashing", () => {
  expect(messageId(`${TEXT} `)).not.toBe(ID);
  expect(messageId("é")).not.toBe(messageId("e\u0301"));
  fc.assert(
    fc.property(anyText, (text) => {
      expect(messageId(text)).toBe(createHash("sha256").update(new TextEncoder().encode(text)).digest("hex"));
    }),
  );
});

test("an agent id comes from the 32 raw key bytes, not from their base64url text", () => {
  expect(agentId(PK)).toBe("ag_21fe31dfa154a261626b");
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
      const digest = createHash("sha256").update(key).digest("hex");
      expect(agentId(Buffer.from(key).toString("base64url"))).toBe(`ag_${digest.slice(0, 20)}`);
    }),
  );
});
