import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Document, documentOf, documentOfText } from "./document.ts";
import { GRAM } from "./grams.ts";
import { NEAR_THRESHOLD, nearScore, prepareNear, type TermStats } from "./similarity.ts";

const BOARD = [
  "Nightly build fails on ARM because the linker runs out of memory",
  "The nightly ARM build breaks: the linker exhausts the memory",
  "Which library parses dates in French and German mail headers?",
  "Looking for a library to parse German or French dates in e-mail headers",
  "Benchmark of bitonic sort on AVX2 against the standard sort",
  "Der Verschlüsselungsschlüssel wurde nicht erneuert",
  "Erneuerung der Verschlüsselungsschlüssel schlägt fehl",
  "東京都庁の展望台は無料で入れます",
  "無料で入れる東京都庁の展望台について",
  "A recipe for lentil soup with cumin and lemon",
  "Weather at the north coast tomorrow: rain, then wind",
];
const documents = BOARD.map((text) => documentOfText(text));
const statsOf = (all: readonly Document[]): TermStats => {
  const sets = all.map(({ title, body, grams }) => new Set([...title, ...body, ...grams]));
  return { documents: all.length, frequency: (term) => sets.filter((set) => set.has(term)).length };
};
const stats = statsOf(documents);
const score = (text: string, other: string): number => nearScore(prepareNear(documentOfText(text), stats), documentOfText(other));

test("the same text scores exactly 1, whether the board knows it or not", () => {
  for (const text of [...BOARD, "a text about zebras that nobody posted", "x", "한국어는 어렵다", "👍"])
    expect(score(text, text), text).toBe(1);
  const empty = statsOf([]);
  expect(nearScore(prepareNear(documentOfText("first words"), empty), documentOfText("first words"))).toBe(1);
});

test("case, accents, word forms and punctuation make no great difference", () => {
  expect(score(BOARD[0] ?? "", (BOARD[0] ?? "").toUpperCase().replaceAll(" ", ", "))).toBe(1);
  expect(score("schlüssel erneuern", "Schlussel: Erneuern!")).toBe(1);
});

test("the other telling of a text comes first, in English, German and Japanese alike", () => {
  for (const pair of [0, 2, 5, 7]) {
    for (const [from, to] of [
      [pair, pair + 1],
      [pair + 1, pair],
    ] as const) {
      const near = prepareNear(documentOfText(BOARD[from] ?? ""), stats);
      const ranked = documents
        .map((document, at) => ({ at, score: nearScore(near, document) }))
        .filter(({ at }) => at !== from)
        .sort((a, b) => b.score - a.score);
      expect(ranked[0]?.at, BOARD[from]).toBe(to);
    }
  }
});

test("the threshold keeps other tellings and leaves unrelated texts out", () => {
  for (const pair of [0, 2, 5, 7])
    expect(score(BOARD[pair] ?? "", BOARD[pair + 1] ?? ""), BOARD[pair]).toBeGreaterThanOrEqual(NEAR_THRESHOLD);
  for (const text of BOARD.slice(0, 9)) {
    for (const unrelated of BOARD.slice(9)) expect(score(text, unrelated), `${text} / ${unrelated}`).toBeLessThan(NEAR_THRESHOLD);
  }
});

test("a long text that holds everything is less alike than a short one that does", () => {
  const text = BOARD[0] ?? "";
  const padding = BOARD.slice(2).join(" ");
  const long = score(text, `${text} ${padding}`);
  expect(long).toBeLessThan(score(text, `${text} again`));
  expect(long).toBeGreaterThan(score(text, padding));
});

test("tags and data do not make a message less like its own text", () => {
  const text = BOARD[0] ?? "";
  const tagged = documentOf({ v: 1, pk: "", ts: 0, kind: "note", body: text, tags: ["arm", "linker"], data: { log: "out of memory" } });
  expect(nearScore(prepareNear(documentOfText(text), stats), tagged)).toBe(1);
  expect(nearScore(prepareNear(tagged, stats), documentOfText(text))).toBe(1);
});

test("a message of nothing but data can be compared", () => {
  const only = documentOf({ v: 1, pk: "", ts: 0, kind: "note", data: { city: "Reykjavik", topic: "geothermal drilling" } });
  const near = prepareNear(only, stats);
  expect(near.terms.length).toBeGreaterThan(0);
  expect(nearScore(near, only)).toBe(1);
});

test("a text without words is like nothing, and nothing is like it", () => {
  const near = prepareNear(documentOfText("?!"), stats);
  expect(near.terms).toEqual([]);
  for (const document of documents) expect(nearScore(near, document)).toBe(0);
  expect(score(BOARD[0] ?? "", "…")).toBe(0);
});

test("the index may rely on it: few terms, weights that sum to 1, and no score above the shared weight", () => {
  const words = fc.array(fc.constantFrom(...BOARD.join(" ").split(" "), "zebra", "quux"), { maxLength: 80 });
  fc.assert(
    fc.property(words, words, (one, other) => {
      const near = prepareNear(documentOfText(one.join(" ")), stats);
      const document = documentOfText(other.join(" "));
      const has = new Set([...document.body, ...document.grams]);
      const shared = near.terms.reduce((sum, { term, weight }) => sum + (has.has(term) ? weight : 0), 0);
      expect(near.terms.filter(({ term }) => term.startsWith(GRAM)).length).toBeLessThanOrEqual(40);
      expect(near.terms.filter(({ term }) => !term.startsWith(GRAM)).length).toBeLessThanOrEqual(24);
      if (near.terms.length > 0) expect(near.terms.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      const found = nearScore(near, document);
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(Math.min(1, shared + 1e-6));
    }),
  );
});
