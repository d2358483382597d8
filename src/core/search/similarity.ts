// Lexical similarity: the rarest words and character grams of a text, weighted by how rare they are on the board.
import type { Document } from "./document.ts";

/** `near` keeps what scores at least this. */
export const NEAR_THRESHOLD = 0.35;

/** What the index knows of its terms (words and grams alike, grams with their mark). */
export interface TermStats {
  readonly documents: number;
  frequency(term: string): number;
}

/** A term is a gram where it starts with GRAM, else a word of title or body; each counts once per document, however often it occurs. */
export interface NearTerm {
  readonly term: string;
  readonly weight: number;
}

/** The chosen terms of a text. Their weights sum to 1, so a document's sum over the terms it has is already in 0..1. */
export interface Near {
  readonly terms: readonly NearTerm[];
  readonly words: number;
}

export function prepareNear(document: Document, stats: TermStats): Near {
  const distinct = [...new Set([...document.title, ...document.body])].filter(
    (word) => word !== "" && stats.frequency(word) < stats.documents,
  );
  return { terms: distinct.map((term) => ({ term, weight: 1 / distinct.length })), words: document.title.length + document.body.length };
}

/** 0..1, 1 for the same text; from the chosen terms and the document alone, so that the live stream agrees with the index. */
export function nearScore(near: Near, document: Document): number {
  const has = new Set([...document.title, ...document.body, ...document.grams]);
  return near.terms.reduce((sum, { term, weight }) => sum + (has.has(term) ? weight : 0), 0);
}
