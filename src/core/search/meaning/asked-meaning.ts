// The meaning of a text that others are compared with, and how like it a message is: by its words and by what it says.
import type { Document } from "../document.ts";
import { type Near, nearScore } from "../similarity.ts";
import type { Embedder } from "./embedder.ts";
import { type AskedMeaning, fused, trust } from "./fuse.ts";
import { cosine } from "./vector.ts";

/** None where the table knows too few of its words: then its words alone count. */
export function askedMeaning(embedder: Embedder, text: string): AskedMeaning | undefined {
  const { vector, piecesPerWord } = embedder.meaningOf(text);
  const trusted = trust(piecesPerWord);
  return trusted > 0 && vector.some((number) => number !== 0) ? { vector: [...vector], trusted } : undefined;
}

/** 0 to 1, from the question and one message alone: what a list shows is what the live stream goes by. */
export function likeness(near: Near, document: Document, meaningOf: (document: Document) => Int8Array): number {
  const score = nearScore(near, document);
  if (near.meaning === undefined) return score;
  return fused(score, cosine(Int8Array.from(near.meaning.vector), meaningOf(document)), near.meaning.trusted);
}
