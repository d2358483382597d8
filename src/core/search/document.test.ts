import { expect, test } from "vitest";
import type { Payload } from "../protocol/payload.ts";
import { documentOf, documentOfText } from "./document.ts";
import { GRAM } from "./grams.ts";

const note = (more: Partial<Payload>): Payload => ({ v: 1, pk: "", ts: 0, kind: "note", ...more });

test("title, body, tags and every string in data are searched, each behind a gap", () => {
  const { title, body } = documentOf(
    note({
      title: "Fast Parsers",
      body: "In Rust",
      tags: ["c++", "simd/avx2"],
      data: { a: "deep", b: [{ c: ["er still", 7, null, true] }], d: "" },
    }),
  );
  expect(title).toEqual(["fast", "parser"]);
  expect(body).toEqual(["in", "rust", "", "c++", "", "simd", "avx2", "", "deep", "", "er", "still", ""]);
});

test("a message without text is an empty document", () => {
  expect(documentOf(note({}))).toEqual({ title: [], body: [], grams: [], said: " " });
});

test("no gram can be taken for a word", () => {
  const { grams } = documentOfText("Überraschung! 東京都庁 한국어는 a 👍 ~x~");
  expect(grams.length).toBeGreaterThan(10);
  for (const gram of grams) expect(gram.startsWith(GRAM)).toBe(true);
  expect(new Set(grams).size).toBe(grams.length);
});

test("grams are three letters, or two where one character is a syllable or a word", () => {
  expect(documentOfText("cat").grams).toEqual(["~ ca", "~cat", "~at "]);
  expect(documentOfText("東京都").grams).toEqual(["~ 東", "~東京", "~京都", "~都 "]);
});

test("a gram counts once, also where a word with letters of another script has it too", () => {
  expect(documentOfText("abc жabcж").grams).toEqual(["~ ab", "~abc", "~bc ", "~ жa", "~жab", "~bcж", "~cж "]);
  expect(documentOfText("жabcж abc").grams).toEqual(["~ жa", "~жab", "~abc", "~bcж", "~cж ", "~ ab", "~bc "]);
  expect(documentOfText("c++ c# 7").grams).toEqual(["~ c+", "~c++", "~++ ", "~ c#", "~c# ", "~ 7 "]);
});

test("grams never cut a character in half", () => {
  for (const gram of documentOfText("𐐨𐐩𐐪𐐫 a𐐨b 👍👍").grams) expect(gram.isWellFormed()).toBe(true);
});

test("the number of grams stays bounded whatever the text", () => {
  const text = Array.from({ length: 6000 }, (_, n) => (n * 7919).toString(36)).join(" ");
  const { grams } = documentOfText(text);
  expect(grams.length).toBeGreaterThan(200);
  expect(grams.length).toBeLessThanOrEqual(256);
});
