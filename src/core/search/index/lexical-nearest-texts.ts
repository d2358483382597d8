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

interface LexicalScope extends NearScope {
  /** Live documents of each part, by their numbers, that are scored even if they are not among the best. */
  readonly wanted?: ReadonlyMap<IndexPart, readonly number[]>;
}

/** Documents that score at least the threshold, best first, and the score of each wanted one by its seq: the scores of nearScore. */
export function nearestTexts(
  parts: readonly IndexPart[],
  near: Near,
  { threshold, limit, after, only, wanted }: LexicalScope,
  buffers = new ScratchBuffers(),
) {
  const best = new Best(limit, after);
  const scores = new Map<number, number>();
  const least = (): number => Math.max(threshold, best.least) - ROUNDING;
  // Small parts first: their hits rule out most documents of the large ones early.
  for (const part of parts.toSorted((a, b) => a.documents - b.documents)) {
    const sums = { words: buffers.scores(0, part.documents), grams: buffers.scores(1, part.documents) };
    const late = lateTerms(part, near, least());
    for (const { term, weight } of near.terms) {
      if (!late.has(term)) part.addWeight(term, weight, term.startsWith(GRAM) ? sums.grams : sums.words);
    }
    const left = [...late.values()].reduce((sum, weight) => sum + weight, 0);
    const scored = wanted?.get(part) ?? [];
    const candidates = candidatesOf(part, sums, { least: least() - left, scored }, buffers.docs(part.documents));
    for (const [gram, weight] of late) {
      if (candidates.length * FEWER < part.frequency(gram)) part.addWeightTo(candidates, gram, weight, sums.grams);
      else part.addWeight(gram, weight, sums.grams);
    }
    for (const doc of candidates) {
      // No document scores more than the sum of the weights it shares.
      if (sums.words[doc]! + sums.grams[doc]! < least()) continue;
      const score = scoreIn(part, doc, near, sums);
      const seq = part.seqs[doc]!;
      if (score >= threshold && score > 0 && (only === undefined || only.has(seq))) best.offer(seq, score);
    }
    for (const doc of scored) scores.set(part.seqs[doc]!, scoreIn(part, doc, near, sums));
  }
  return { hits: best.hits(), scores };
}

const scoreIn = ({ wordCounts, gramCounts }: IndexPart, doc: number, near: Near, { words, grams }: Sums): number =>
  scoreOf(near, { words: words[doc]!, grams: grams[doc]! }, { words: wordCounts[doc]!, grams: gramCounts[doc]! });

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

/** The live documents whose sums reach `least`, and after them the others that are scored in any case, in a scratch buffer. */
function candidatesOf(
  { documents, dead }: IndexPart,
  { words, grams }: Sums,
  { least, scored }: { readonly least: number; readonly scored: readonly number[] },
  found: Uint32Array,
): Uint32Array {
  let count = 0;
  for (let doc = 0; doc < documents; doc++) if (words[doc]! + grams[doc]! >= least && dead[doc] === 0) found[count++] = doc;
  for (const doc of scored) if (words[doc]! + grams[doc]! < least) found[count++] = doc;
  return found.subarray(0, count);
}
