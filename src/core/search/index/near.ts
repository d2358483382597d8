// Messages that are near a text: each chosen term gives its weight to every document that has it.
import { GRAM } from "../document.ts";
import { type Near, ROUNDING, scoreOf, type TermStats } from "../similarity.ts";
import { Best, type Hit } from "./best.ts";
import type { Part } from "./part.ts";
import { Room } from "./room.ts";
import type { SeqSet } from "./seq-set.ts";

export function termStats(parts: readonly Part[]): TermStats {
  return {
    documents: parts.reduce((sum, { documents, deadCount }) => sum + documents - deadCount, 0),
    frequency(term) {
      let count = 0;
      for (const part of parts) count += liveFrequency(part, term);
      return count;
    },
  };
}

/** From here on the documents that are gone are taken to hold a term as often as the others do. */
const COUNTED = 2048;

function liveFrequency(part: Part, term: string): number {
  const count = part.frequency(term);
  if (part.deadCount === 0 || count === 0) return count;
  if (count > COUNTED) return Math.round((count * (part.documents - part.deadCount)) / part.documents);
  return part.liveFrequency(term);
}

export interface NearScope {
  readonly threshold: number;
  readonly limit: number;
  readonly after?: Hit | undefined;
  readonly only?: SeqSet | undefined;
}

/** Documents that score at least the threshold, the best first; the score is that of nearScore. */
export function nearest(parts: readonly Part[], near: Near, { threshold, limit, after, only }: NearScope) {
  const best = new Best(limit, after);
  // Small parts first: what they hold keeps most of the large ones from being looked at any further.
  for (const part of parts.toSorted((a, b) => a.documents - b.documents)) {
    const { words, grams } = shared(part, near);
    let least = Math.max(threshold, best.least) - ROUNDING;
    for (let doc = 0; doc < part.documents; doc++) {
      // No document scores more than the weights it shares.
      if (words[doc]! + grams[doc]! < least || part.dead[doc] === 1) continue;
      const shares = { words: words[doc]!, grams: grams[doc]! };
      const score = scoreOf(near, shares, { words: part.wordCounts[doc]!, grams: part.gramCounts[doc]! });
      const seq = part.seqs[doc]!;
      if (score < threshold || score === 0 || (only !== undefined && !only.has(seq))) continue;
      best.offer(seq, score);
      least = Math.max(threshold, best.least) - ROUNDING;
    }
  }
  return { hits: best.hits() };
}

const room = new Room();

/** The weight that each document shares, by its words and by its grams. */
function shared(part: Part, near: Near): { readonly words: Float64Array; readonly grams: Float64Array } {
  const words = room.scores(0, part.documents);
  const grams = room.scores(1, part.documents);
  for (const { term, weight } of near.terms) {
    part.addWeight(term, weight, term.startsWith(GRAM) ? grams : words);
  }
  return { words, grams };
}
