// The features of a text for the scorer: signs of its structure, its concepts, and hashed runs of its characters.
import { CONCEPT_NAMES } from "./concepts.ts";
import { eachConcept } from "./find-concepts.ts";
import type { PlainText } from "./normalized-text.ts";
import { SIGN_COUNT, writeSigns } from "./structure-signs.ts";

/** The number of weights for hashed runs; runs with the same hash share a weight. */
export const FEATURE_BUCKETS = 2 ** 18;

const CONCEPT_COUNT = CONCEPT_NAMES.length;
const PAIR_COUNT = (CONCEPT_COUNT * (CONCEPT_COUNT - 1)) / 2;
/** Two concepts count as a pair if they are this close to each other. */
const NEAR = 48;
/** Further occurrences of a concept do not count. */
const MOST = 4;

/** The signs, the number of occurrences of each concept, and the pairs of concepts that occur close together. */
export const FACTS = SIGN_COUNT + CONCEPT_COUNT + PAIR_COUNT;

/** Writes FACTS numbers from 0 to 1. The same statement gives the same numbers in any language. */
export function factsOf(text: string, plain: PlainText): Float32Array {
  const facts = new Float32Array(FACTS);
  writeSigns(text, plain, facts);
  const last = new Int32Array(CONCEPT_COUNT).fill(-NEAR - 1);
  eachConcept(plain, (concept, at) => {
    const count = SIGN_COUNT + concept;
    facts[count] = Math.min(1, facts[count]! + 1 / MOST);
    for (let other = 0; other < CONCEPT_COUNT; other++)
      if (other !== concept && at - last[other]! <= NEAR) facts[SIGN_COUNT + CONCEPT_COUNT + pairOf(concept, other)] = 1;
    last[concept] = at;
  });
  return facts;
}

function pairOf(a: number, b: number): number {
  const larger = Math.max(a, b);
  return (larger * (larger - 1)) / 2 + Math.min(a, b);
}

/**
 * The bucket of each run of three and of five characters; valid until the next text. Only ASCII: letters of another script would only
 * show the language of a text.
 */
export function runsOf(plain: PlainText): Int32Array {
  const { codes, length: end } = plain;
  const runs = plain.roomForRuns(2 * (end + 2));
  let found = 0;
  // A blank before and after the text.
  codes[end] = BLANK;
  /** The last characters, seven bits each, and the number of characters since the last one that is not ASCII. */
  let three = BLANK;
  let two = 0;
  let length = 1;
  for (let at = 0; at <= end; at++) {
    const code = codes[at]!;
    if (code > 0x7f) {
      length = 0;
      continue;
    }
    length++;
    two = ((two << 7) | (three >>> 14)) & 0x3fff;
    three = ((three << 7) | PLAIN[code]!) & 0x1fffff;
    if (length < 3) continue;
    runs[found++] = bucketOf(Math.imul(three, 0x9e3779b1));
    if (length >= 5) runs[found++] = bucketOf(Math.imul(three, 0x85ebca6b) ^ Math.imul(two + 1, 0xc2b2ae35));
  }
  return runs.subarray(0, found);
}
const BLANK = 0x20;
/** All digits count as the same character. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) => (code >= 0x30 && code <= 0x39 ? 0x30 : code));

function bucketOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & (FEATURE_BUCKETS - 1);
}
