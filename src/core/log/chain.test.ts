// The chain's formula against values that another implementation computed.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { detailDigest, entryHash, GENESIS } from "./chain.ts";

const hex = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

// Computed with Python's hashlib, each over `prev\nseq\nat\ntype\nid\ndigest\n`.
const CREATE_DIGEST = "8c40f5fbe92148a3241e81b024b4544c9214eb4dcd1e53e5d3b8a0c501701e2f";
const FIRST = "143b2a3a70f8299b71fb0d51fe2d8672ab556474df705aa8cf81f25a1c4833b3";
const SECOND = "ba7987058359c48b77e7cc455b580c30cc3bdefc2fd65e0b4dc9a9f7b986e6c5";
const STATUS_DIGEST = "04b9dbf9defb9c2bff95aad21efd0bd0c27039c9568f178b02c5edb0ea3fe8d3";
const THIRD = "ed2ed327fe89fdbffcd21a0cc6132a8e3603b8f186685d6fedd8b6e93f95720e";

const first = { prev: GENESIS, seq: 1, at: 1767225600123, type: "create", id: "a".repeat(64), digest: CREATE_DIGEST } as const;

test("a chain that another program computes comes out the same", () => {
  expect(hex("P\nS\nN")).toBe(CREATE_DIGEST);
  expect(entryHash(first)).toBe(FIRST);
  const second = entryHash({ prev: FIRST, seq: 2, at: 1767225601000, type: "expire", id: "a".repeat(64), digest: detailDigest(null) });
  expect(second).toBe(SECOND);
  const digest = detailDigest('{"from":"open","to":"claimed"}');
  expect(digest).toBe(STATUS_DIGEST);
  expect(entryHash({ prev: second, seq: 3, at: 1767225602000, type: "status", id: "b".repeat(64), digest })).toBe(THIRD);
});

test("the first entry stands on 64 zeros", () => {
  expect(GENESIS).toBe("0000000000000000000000000000000000000000000000000000000000000000");
});

test("the digest is of the exact detail text, and a dash where there is none", () => {
  expect(detailDigest(null)).toBe("-");
  expect(detailDigest("")).toBe(hex(""));
  expect(detailDigest('{"facts":"Grüße"}')).toBe(hex('{"facts":"Grüße"}'));
});

test.for([
  ["prev", { prev: FIRST }],
  ["seq", { seq: 2 }],
  ["at", { at: 1767225600124 }],
  ["type", { type: "restore" }],
  ["id", { id: "b".repeat(64) }],
  ["digest", { digest: STATUS_DIGEST }],
] as const)("no %s can be changed without changing the hash", ([, change]) => {
  expect(entryHash({ ...first, ...change })).not.toBe(FIRST);
});

test("what an entry says besides the chained fields is not part of its hash, so content can be erased", () => {
  const shown = { ...first, detail: "erased", hash: "x" };
  expect(entryHash(shown)).toBe(FIRST);
});
