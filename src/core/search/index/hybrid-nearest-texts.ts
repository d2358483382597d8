// Messages similar to a text, by words and by meaning: two lists of candidates, and one score.
import { fused } from "../meaning/fuse-scores.ts";
import { bitCount, cosine, signWords, writeSignBits } from "../meaning/vector-similarity.ts";
import type { Near } from "../similarity.ts";
import { Best } from "./top-hits.ts";
import { nearestTexts, type NearScope } from "./lexical-nearest-texts.ts";
import type { IndexPart } from "./index-part.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";

/** This many messages with the most similar words, and this many with the most signs in common, are compared exactly. */
export const BY_WORDS = 2000;
export const BY_SIGNS = 400;
/** Below this share of the threshold, the lexical score of a message cannot lift it over the threshold (see fuse-scores.ts). */
const WORDS_SHARE = 1 / 3;
/** Smaller lexical scores are ignored: nearly every message has some. */
const LEAST_WORDS = 0.0167;

/** Like `nearestTexts`, also by meaning if the query has one. Each score is that of `likeness`, so lists and the live stream agree. */
export function alike(parts: readonly IndexPart[], near: Near, scope: NearScope, buffers = new ScratchBuffers()) {
  const { meaning } = near;
  if (meaning === undefined || parts.every(({ signs }) => signs.length === 0))
    return { hits: nearestTexts(parts, near, scope, buffers).hits };
  const { threshold, limit, after, only } = scope;
  const vector = Int8Array.from(meaning.vector);
  const wanted = bySigns(parts, vector, only);
  const least = Math.max(LEAST_WORDS, threshold * WORDS_SHARE);
  const { hits, scores } = nearestTexts(parts, near, { threshold: least, limit: BY_WORDS, only, wanted }, buffers);
  const best = new Best(limit, after);
  const offer = (part: IndexPart, doc: number, words: number): void => {
    const score = fused(words, cosine(vector, part.meaningOf(doc)), meaning.trusted);
    if (score >= threshold && score > 0) best.offer(part.seqs[doc]!, score);
  };
  for (const [part, docs] of wanted) for (const doc of docs) offer(part, doc, scores.get(part.seqs[doc]!) ?? 0);
  for (const { seq, score } of hits) {
    if (scores.has(seq)) continue;
    for (const part of parts) {
      const doc = part.locate(seq);
      if (doc === undefined) continue;
      offer(part, doc, score);
      break;
    }
  }
  return { hits: best.hits() };
}

interface Candidate {
  readonly part: IndexPart;
  readonly doc: number;
}

/**
 * The candidates with the most signs in common. They are chosen over all parts together, so that the result does not depend on how
 * documents are spread over parts. Among equal distances, the newest are chosen.
 */
function bySigns(parts: readonly IndexPart[], vector: Int8Array, only: NearScope["only"]): ReadonlyMap<IndexPart, readonly number[]> {
  const counts = new Uint32Array(vector.length + 1);
  const measured = parts.map((part) => ({ part, distances: distancesOf(part, vector, only, counts) }));
  let farthest = 0;
  for (let within = 0; farthest < vector.length; farthest++) if ((within += counts[farthest]!) >= BY_SIGNS) break;
  const near: Candidate[] = [];
  const last: Candidate[] = [];
  for (const { part, distances } of measured)
    for (let doc = 0; doc < distances.length; doc++) {
      const distance = distances[doc]!;
      if (distance < farthest) near.push({ part, doc });
      else if (distance === farthest) last.push({ part, doc });
    }
  last.sort((a, b) => b.part.seqs[b.doc]! - a.part.seqs[a.doc]!);
  const chosen = new Map<IndexPart, number[]>(parts.map((part) => [part, []]));
  for (const { part, doc } of [...near, ...last.slice(0, Math.max(0, BY_SIGNS - near.length))]) chosen.get(part)?.push(doc);
  return chosen;
}

/** Farther than any distance. */
const UNWANTED = 0xffff;

function distancesOf(
  { documents, dead, seqs, signs }: IndexPart,
  vector: Int8Array,
  only: NearScope["only"],
  counts: Uint32Array,
): Uint16Array {
  const asked = signsOf(vector);
  const words = asked.length;
  const distances = new Uint16Array(signs.length === 0 ? 0 : documents);
  for (let doc = 0; doc < distances.length; doc++) {
    if (dead[doc] === 1 || only?.has(seqs[doc]!) === false) {
      distances[doc] = UNWANTED;
      continue;
    }
    let distance = 0;
    for (let word = 0, at = doc * words; word < words; word++) distance += bitCount(signs[at++]! ^ asked[word]!);
    distances[doc] = distance;
    counts[distance] = counts[distance]! + 1;
  }
  return distances;
}

function signsOf(vector: Int8Array): Uint32Array {
  const signs = new Uint32Array(signWords(vector.length));
  writeSignBits(vector, signs, 0);
  return signs;
}
