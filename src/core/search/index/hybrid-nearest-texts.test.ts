// Of more messages than are compared, the most similar are found all the same, by words or by meaning, at a bounded cost.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Random, SEED } from "../../../../test/support/random.ts";
import { type Document, documentOfText } from "../document.ts";
import { fused } from "../meaning/fuse-scores.ts";
import { cosine } from "../meaning/vector-similarity.ts";
import { prepareNear } from "../similarity.ts";
import { alike, BY_SIGNS, BY_WORDS } from "./hybrid-nearest-texts.ts";
import { termStats } from "./lexical-nearest-texts.ts";
import { Memtable } from "./memtable.ts";

const DIMENSIONS = 128;
const ASKED = "the parser crashes when a file is empty";
const NO_WORDS = documentOfText("");

/** Counts the messages that are compared exactly. */
class CountingPart extends Memtable {
  compared = 0;

  override meaningOf(doc: number): Int8Array {
    this.compared++;
    return super.meaningOf(doc);
  }
}

interface Posted {
  readonly document: Document;
  readonly vector: Int8Array;
}

/** The messages in this many parts, in turn, with seqs from 1. */
function indexed(posted: readonly Posted[], count: number): readonly CountingPart[] {
  const parts = Array.from({ length: count }, () => new CountingPart(DIMENSIONS));
  for (const [at, { document, vector }] of posted.entries()) parts[at % count]?.add(at + 1, document, vector);
  return parts;
}

const similarTo = (parts: readonly CountingPart[], text: string, asked: Int8Array, limit: number) =>
  alike(
    parts,
    { ...prepareNear(documentOfText(text), termStats(parts)), meaning: { vector: [...asked], trusted: 1 } },
    { threshold: 0.05, limit },
  ).hits;
const comparedIn = (parts: readonly CountingPart[]): number => parts.reduce((sum, { compared }) => sum + compared, 0);

const vectorOf = (random: Random): Int8Array => Int8Array.from({ length: DIMENSIONS }, () => random.below(201) - 100);
/** A meaning that has this share of the numbers of another. */
const like = (vector: Int8Array, share: number, random: Random): Int8Array =>
  vector.map((number) => (random.chance(share) ? number : random.below(201) - 100));

test("as long as all are compared, the order is that of the exact scores, the newest first among equals", () => {
  const number = fc.integer({ min: -1, max: 1 }).map((one) => 50 * one);
  const vector = fc.array(number, { minLength: DIMENSIONS, maxLength: DIMENSIONS }).map((all) => Int8Array.from(all));
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 40 }), fc.nat(20), fc.integer({ min: 1, max: 3 }), (vectors, most, count) => {
      const asked = vectors[0] ?? new Int8Array(DIMENSIONS);
      const parts = indexed(
        vectors.map((one) => ({ document: NO_WORDS, vector: one })),
        count,
      );
      const exact = vectors.map((one, at) => ({ seq: at + 1, score: fused(0, cosine(asked, one), 1) }));
      const expected = exact.filter(({ score }) => score >= 0.05).sort((a, b) => b.score - a.score || b.seq - a.seq);
      expect(similarTo(parts, "", asked, most)).toEqual(expected.slice(0, most));
    }),
    { seed: SEED, numRuns: 100 },
  );
});

test("the nearest meaning is found among very many, also if it is the oldest, and few of them are compared", () => {
  const random = new Random(SEED);
  const asked = vectorOf(random);
  const others = Array.from({ length: 30 * BY_SIGNS }, () => ({ document: NO_WORDS, vector: like(asked, 0.2, random) }));
  const posted = [{ document: NO_WORDS, vector: like(asked, 0.8, random) }, ...others];
  for (const count of [1, 3]) {
    const parts = indexed(posted, count);
    expect(similarTo(parts, ASKED, asked, 1)).toMatchObject([{ seq: 1 }]);
    expect(comparedIn(parts)).toBe(BY_SIGNS);
  }
});

test("messages that share most words push out neither the same text nor the same meaning, and those with near signs neither", () => {
  const random = new Random(SEED);
  const asked = vectorOf(random);
  const crowd = [
    ...Array.from({ length: 1.25 * BY_WORDS }, (_, n) => ({
      document: documentOfText(`the parser crashes when file ${n} is read`),
      vector: vectorOf(random),
    })),
    ...Array.from({ length: 2 * BY_SIGNS }, () => ({ document: NO_WORDS, vector: like(asked, 0.5, random) })),
  ];
  const posted = [{ document: documentOfText(ASKED), vector: vectorOf(random) }, { document: NO_WORDS, vector: asked }, ...crowd];
  const results = [1, 3].map((count) => {
    const parts = indexed(posted, count);
    const hits = similarTo(parts, ASKED, asked, 1000);
    expect(hits[0]).toMatchObject({ seq: 1 });
    expect(hits.find(({ seq }) => seq === 2)?.score).toBe(fused(0, 1, 1));
    expect(comparedIn(parts)).toBe(BY_WORDS + BY_SIGNS);
    return hits;
  });
  // How messages are spread over the parts changes nothing.
  expect(results[0]).toEqual(results[1]);
});
