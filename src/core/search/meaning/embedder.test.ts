import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../../test/support/any-text.ts";
import { askedMeaning, messageVector } from "./asked-meaning.ts";
import { Embedder } from "./embedder.ts";
import { fused, trust } from "./fuse-scores.ts";
import { readTable } from "./table.ts";
import { cosine } from "./vector-similarity.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const file = readFileSync(join(ROOT, "models/meaning.bin"));
const embedder = new Embedder(readTable(file));

/** What the embedder that the table was made with gives: base64 of 128 numbers of eight bits. */
interface Case {
  readonly text: string;
  readonly piecesPerWord: number;
  readonly vector: string;
}
const CASES = JSON.parse(readFileSync(join(ROOT, "vectors/meaning/texts.json"), "utf8")) as readonly Case[];
const near = (a: string, b: string): number => cosine(embedder.meaningOf(a).vector, embedder.meaningOf(b).vector);

test.each(CASES)("a text has the vector that the table was made for: $text", ({ text, piecesPerWord, vector }) => {
  const meaning = embedder.meaningOf(text);
  expect(Buffer.from(meaning.vector.buffer).toString("base64")).toBe(vector);
  expect(meaning.piecesPerWord).toBe(piecesPerWord);
});

test("a message's meaning takes 128 bytes, whatever the text, and leaves nothing behind for the next", () => {
  const before = embedder.meaningOf("the linker runs out of memory");
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyText, fc.lorem({ maxCount: 600 })), (text) => {
      expect(embedder.meaningOf(text).vector.byteLength).toBe(128);
    }),
    { numRuns: 40 },
  );
  expect(embedder.meaningOf("the linker runs out of memory")).toEqual(before);
});

test("the same thing in other words is nearer than another thing", () => {
  const asked = "parser crashes on empty input";
  const same = near(asked, "program fails when the file has nothing in it");
  for (const other of ["a recipe for lentil soup with cumin", "translate the manual into French", "rain at the coast, then wind"])
    expect(near(asked, other)).toBeLessThan(same);
});

test("a file that is no table, or was cut, is refused in words", () => {
  expect(() => readTable(Buffer.from("hello"))).toThrow("does not begin with SEM4");
  expect(() => readTable(file.subarray(0, 1000))).toThrow(/is damaged: it has 1000 bytes, .* should have 2429108/);
});

test("fused: the same text is 1, a language that the table does not know keeps its lexical score", () => {
  expect(fused(1, 1, 1)).toBe(1);
  expect(trust(embedder.meaningOf("Where does the linker look for libraries?"))).toBe(1);
  for (const text of ["Der Verschlüsselungsschlüssel wurde nicht erneuert", "東京都庁の展望台は無料で入れます"])
    expect(trust(embedder.meaningOf(text))).toBe(0);
  expect(fused(0.4, 0.9, 0)).toBe(0.4);
});

/** The table knows no piece of these; all of them have one vector in it. */
const UNKNOWN = ["😀", "👍👍", "◆◆◆", "∑∫∂", "🚀🔥", "ᴘʟᴇᴀsᴇ ʜᴇʟᴘ", "እባክዎ ይርዱኝ", "ภาษาไทย ช่วยแปล", "x".repeat(120)];

test.each(UNKNOWN)("a text of which the table knows nothing has no meaning, asked for or found: %s", (text) => {
  expect(askedMeaning(embedder, text)).toBeUndefined();
  expect(messageVector(embedder, text).every((number) => number === 0)).toBe(true);
});

test("a text without a word has no meaning to ask for, and emoji beside words do not reach what the table does not know", () => {
  for (const text of ["!!!", "... ?", "😀 !!!"]) expect(askedMeaning(embedder, text)).toBeUndefined();
  const others = [...UNKNOWN, "翻译这个文件", "தமிழ் மொழிபெயர்ப்பு தேவை.", "🎉 💥 🎈 lunch", "❓ ❓ ❓ !"];
  for (const text of ["😀 deploy", "🚀 🔥 ✨ help", "✅ ok", "🚀 deploy the parser ✅"]) {
    const { vector = [], trusted = 0 } = askedMeaning(embedder, text) ?? {};
    expect(trusted).toBeGreaterThan(0);
    for (const other of others)
      expect(fused(0, cosine(Int8Array.from(vector), messageVector(embedder, other)), trusted), `${text} ${other}`).toBeLessThan(0.2);
  }
});

test("fused: more words or more meaning in common never make a score smaller, and it stays between 0 and 1", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, share, share, share, (lexical, cosine, trusted, more) => {
      const score = fused(lexical, cosine, trusted);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(fused(Math.max(lexical, more), cosine, trusted)).toBeGreaterThanOrEqual(score);
      expect(fused(lexical, Math.max(cosine, more), trusted)).toBeGreaterThanOrEqual(score);
    }),
  );
});
