// A long posting list by blocks of documents: where each block begins, and the highest score of any document in it.
import { Bm25f } from "./bm25f.ts";
import type { Documents, BlockMaxima, MeanLengths, Postings } from "./index-part.ts";
import { readWordsInto } from "./postings.ts";
import { ScratchBuffers } from "./scratch-buffers.ts";

/** Documents in a block: few, so that one good document does not make many others worth reading. */
export const BLOCK = 128;
export const blockOf = (doc: number): number => doc >>> 7;
export const blocksOf = (documents: number): number => Math.ceil(documents / BLOCK);

export function blockMaximaOf(bytes: Uint8Array, count: number, documents: Documents, means: MeanLengths): BlockMaxima {
  const bm25f = new Bm25f(means);
  const most = new Float32Array(blocksOf(documents.documents));
  const postings = new ScratchBuffers().list(0, count);
  const blocks = blocksOf(documents.documents);
  const at = new Uint32Array(blocks + 1).fill(bytes.length);
  const before = new Int32Array(blocks);
  let next = 0;
  const mark = (doc: number, from: number, last: number): number => {
    for (const block = blockOf(doc); next <= block; next++) {
      at[next] = from;
      before[next] = last;
    }
    return next * BLOCK;
  };
  readWordsInto(bytes, postings, { mark });
  raise(most, postings, count, documents, bm25f);
  return { at, before, most, means: bm25f.means };
}

/** The same for a list that is read whole; `at` counts postings, not bytes. */
export function blockMaximaOfPostings(postings: Postings, documents: Documents, bm25f: Bm25f): Omit<BlockMaxima, "before"> {
  const { docs } = postings;
  const blocks = blocksOf(documents.documents);
  const at = new Uint32Array(blocks + 1).fill(docs.length);
  const most = new Float32Array(blocks);
  let next = 0;
  for (let i = 0; i < docs.length; i++) for (const block = blockOf(docs[i]!); next <= block; next++) at[next] = i;
  raise(most, postings, docs.length, documents, bm25f);
  return { at, most, means: bm25f.means };
}

function raise(most: Float32Array, { docs, titles, bodies }: Postings, count: number, documents: Documents, bm25f: Bm25f): void {
  for (let i = 0; i < count; i++) {
    const score = bm25f.of(documents, docs[i]!, titles[i]!, bodies[i]!);
    const block = blockOf(docs[i]!);
    if (score > most[block]!) most[block] = score;
  }
}
