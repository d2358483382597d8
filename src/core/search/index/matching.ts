// All messages a query means, by their seq, without ranking them.
import type { Query } from "../query.ts";
import type { Part } from "./part.ts";
import { select } from "./selection.ts";
import type { SeqSet } from "./seq-set.ts";

export interface MatchingScope {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly only?: SeqSet | undefined;
  readonly first?: { readonly from: "newest" | "oldest"; readonly limit: number } | undefined;
}

/** Ascending. */
export function matching(parts: readonly Part[], query: Query, { after = 0, before = Infinity, only, first }: MatchingScope): Uint32Array {
  const selections = parts.map((part) => select(part, query));
  const seqs = new Uint32Array(selections.reduce((sum, { docs }) => sum + docs.length, 0));
  let count = 0;
  let inOrder = true;
  let last = 0;
  for (const { part, docs } of selections) {
    for (let i = 0; i < docs.length; i++) {
      const seq = part.seqs[docs[i]!]!;
      if (seq <= after || seq >= before || (only !== undefined && !only.has(seq))) continue;
      if (seq < last) inOrder = false;
      seqs[count++] = last = seq;
    }
  }
  const found = seqs.subarray(0, count);
  // Parts follow one another in time, so that sorting is for the rare message that was restored.
  if (!inOrder) found.sort();
  if (first === undefined) return found.slice();
  return first.from === "newest" ? found.slice(Math.max(0, count - first.limit)) : found.slice(0, first.limit);
}
