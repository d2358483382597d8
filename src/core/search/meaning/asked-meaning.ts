// The meanings of a query text and of a message, and how similar a message is to it by words and meaning.
import type { Document } from "../document.ts";
import { type Near, nearScore } from "../similarity.ts";
import type { Embedder } from "./embedder.ts";
import { type AskedMeaning, fused, trust } from "./fuse-scores.ts";
import { cosine } from "./vector-similarity.ts";

/** Undefined if the table knows too few of its words: then only its words count. */
export function askedMeaning(embedder: Embedder, text: string): AskedMeaning | undefined {
  const meaning = embedder.meaningOf(text);
  const { vector } = meaning;
  const trusted = trust(meaning);
  return trusted > 0 && vector.some((number) => number !== 0) ? { vector: [...vector], trusted } : undefined;
}

/** The vector of a message; all numbers are 0 if the table knows none of its pieces. */
export function messageVector(embedder: Embedder, text: string): Int8Array {
  const { vector, knownShare } = embedder.meaningOf(text);
  return knownShare > 0 ? vector : vector.fill(0);
}

/** 0 to 1, from the query and one message alone, so that lists and the live stream agree. */
export function likeness(near: Near, document: Document, meaningOf: (document: Document) => Int8Array): number {
  const score = nearScore(near, document);
  if (near.meaning === undefined) return score;
  return fused(score, cosine(Int8Array.from(near.meaning.vector), meaningOf(document)), near.meaning.trusted);
}
