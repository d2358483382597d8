// The meaning of a query text, and how similar a message is to it by words and meaning.
import type { Document } from "../document.ts";
import { type Near, nearScore } from "../similarity.ts";
import type { Embedder } from "./embedder.ts";
import { type AskedMeaning, fused, trust } from "./fuse-scores.ts";
import { cosine } from "./vector-similarity.ts";

/** Undefined if the table knows too few of its words: then only its words count. */
export function askedMeaning(embedder: Embedder, text: string): AskedMeaning | undefined {
  const { vector, piecesPerWord } = embedder.meaningOf(text);
  const trusted = trust(piecesPerWord);
  return trusted > 0 && vector.some((number) => number !== 0) ? { vector: [...vector], trusted } : undefined;
}

/** 0 to 1, from the query and one message alone, so that lists and the live stream agree. */
export function likeness(near: Near, document: Document, meaningOf: (document: Document) => Int8Array): number {
  const score = nearScore(near, document);
  if (near.meaning === undefined) return score;
  return fused(score, cosine(Int8Array.from(near.meaning.vector), meaningOf(document)), near.meaning.trusted);
}
