// Messages similar to a text: each chosen term adds its weight to every document that has it.
import { GRAM } from "../grams.ts";
import { type Near, ROUNDING, scoreOf, type TermStats } from "../similarity.ts";
import { Best, type Hit } from "./top-hits.ts";
import type { IndexPart } from "./index-part.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";
import type { SeqSet } from "./seq-set.ts";

export function termStats(parts: readonly IndexPart[]): TermStats {
  return {
    documents: parts.reduce((sum, { documents, deadCount }) => sum + documents - deadCount, 0),
    frequency(term) {
      let count = 0;
      for (const part of parts) count += part.liveFrequency(term);
      return count;
    },
  };
}

export interface NearScope {
  readonly threshold: number;
  readonly limit: number;
  readonly after?: Hit | undefined;
  readonly only?: SeqSet | undefined;
}

/** Documents that score at least the threshold, best first; the score is that of nearScore. */
export function nearestTexts(
  parts: readonly IndexPart[],
  near: Near,
  { threshold, limit, after, only }: NearScope,
  buffers = new ScratchBuffers(),
) {
  const best = new Best(limit, after);
  const least = (): number => Math.max(threshold, best.least) - ROUNDING;
  // Small parts first: their hits rule out most documents of the large ones early.
  for (const part of parts.toSorted((a, b) => a.documents - b.documents)) {
    const sums = { words: buffers.scores(0, part.documents), grams: buffers.scores(1, part.documents) };
    const late = lateTerms(part, near, least());
    for (const { term, weight } of near.terms) {
      if (!late.has(term)) part.addWeight(term, weight, term.startsWith(GRAM) ? sums.grams : sums.words);
    }
    const left = [...late.values()].reduce((sum, weight) => sum + weight, 0);
    const candidates = candidatesOf(part, sums, least() - left, buffers.docs(part.documents));
    for (const [gram, weight] of late) {
      if (candidates.length * FEWER < part.frequency(gram)) part.addWeightTo(candidates, gram, weight, sums.grams);
      else part.addWeight(gram, weight, sums.grams);
    }
    for (const doc of candidates) {
      const shares = { words: sums.words[doc]!, grams: sums.grams[doc]! };
      // No document scores more than the sum of the weights it shares.
      if (shares.words + shares.grams < least()) continue;
      const score = scoreOf(near, shares, { words: part.wordCounts[doc]!, grams: part.gramCounts[doc]! });
      const seq = part.seqs[doc]!;
      if (score >= threshold && score > 0 && (only === undefined || only.has(seq))) best.offer(seq, score);
    }
  }
  return { hits: best.hits() };
}

/** If candidates are this many times fewer than the documents with the gram, each candidate is looked up instead. */
const FEWER = 2;
/** A gram in more than one of this many documents says little, and takes long to scan. */
const COMMON_SHARE = 16;

/**
 * Common grams with too little weight to make a document a hit by themselves: they are looked up only in documents found by other terms.
 * Together they have at most half of the needed weight, so that the other terms still tell documents apart.
 */
function lateTerms(part: IndexPart, { terms }: Near, least: number): ReadonlyMap<string, number> {
  const late = new Map<string, number>();
  let left = least / 2;
  const common = terms
    .filter(({ term }) => term.startsWith(GRAM))
    .map(({ term, weight }) => ({ term, weight, count: part.frequency(term) }))
    .filter(({ count }) => count * COMMON_SHARE > part.documents)
    .sort((a, b) => b.count - a.count);
  for (const { term, weight } of common) {
    if (weight > left) continue;
    left -= weight;
    late.set(term, weight);
  }
  return late;
}

interface Sums {
  readonly words: Float64Array;
  readonly grams: Float64Array;
}

/** The live documents whose sums reach `least`, ascending, in a scratch buffer. */
function candidatesOf({ documents, dead }: IndexPart, { words, grams }: Sums, least: number, found: Uint32Array): Uint32Array {
  let count = 0;
  for (let doc = 0; doc < documents; doc++) if (words[doc]! + grams[doc]! >= least && dead[doc] === 0) found[count++] = doc;
  return found.subarray(0, count);
}
