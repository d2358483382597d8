// The seqs of all messages that match a query, without ranking.
import type { Query } from "../query.ts";
import type { IndexPart } from "./index-part.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";
import { PartQuery } from "./part-query.ts";
import type { SeqSet } from "./seq-set.ts";

export interface MatchingScope {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly only?: SeqSet | undefined;
  readonly first?: { readonly from: "newest" | "oldest"; readonly limit: number } | undefined;
}

/** The seqs are ascending. */
export function matching(
  parts: readonly IndexPart[],
  query: Query,
  { after = 0, before = Infinity, only, first }: MatchingScope,
  buffers = new ScratchBuffers(),
): Uint32Array {
  const found = joined(
    parts.map((part) => {
      const { docs } = new PartQuery(part, query).select(buffers);
      const seqs = new Uint32Array(docs.length);
      let count = 0;
      for (let i = 0; i < docs.length; i++) {
        const seq = part.seqs[docs[i]!]!;
        if (seq > after && seq < before && (only === undefined || only.has(seq))) seqs[count++] = seq;
      }
      return seqs.subarray(0, count);
    }),
  );
  if (first === undefined) return found;
  return first.from === "newest" ? found.slice(Math.max(0, found.length - first.limit)) : found.slice(0, first.limit);
}

/** Parts follow one another in time; sorting is needed only for the rare message that was restored. */
function joined(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const list of lists) {
    all.set(list, count);
    count += list.length;
  }
  for (let i = 1; i < all.length; i++) if (all[i]! < all[i - 1]!) return all.sort();
  return all;
}
