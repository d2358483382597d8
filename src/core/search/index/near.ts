// Messages that share weight with a text: each chosen term gives its weight to every document that has it.
import type { Near, TermStats } from "../similarity.ts";
import { Best, type Hit } from "./best.ts";
import { NO_POSTINGS, type Part } from "./part.ts";
import { liveCount } from "./rank.ts";
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
  return liveCount(part, part.postings(term) ?? NO_POSTINGS);
}

/** Weights are summed in single precision; the exact score decides at the threshold. */
const TOLERANCE = 1e-5;

/** The documents that share the most weight, at least `least` of it; the exact score is another matter. */
export function sharing(parts: readonly Part[], near: Near, least: number, limit: number, only: SeqSet | undefined): Hit[] {
  const best = new Best(limit, undefined);
  for (const part of parts) {
    const sums = new Float32Array(part.documents);
    for (const { term, weight } of near.terms) {
      const docs = part.postings(term)?.docs ?? [];
      for (let i = 0; i < docs.length; i++) sums[docs[i]!]! += weight;
    }
    for (let doc = 0; doc < part.documents; doc++) {
      const sum = sums[doc]!;
      if (sum < least - TOLERANCE || sum === 0 || part.dead[doc] === 1) continue;
      const seq = part.seqs[doc]!;
      if (only === undefined || only.has(seq)) best.offer(seq, sum);
    }
  }
  return best.hits();
}
