// One piece of the index, in memory or in a file: documents numbered from 0, and where each term stands in them.

import type { BoundedCache } from "../../bounded-cache.ts";

/** The documents that hold a term, ascending, and how often it stands in their title and body. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly titles: Uint16Array;
  readonly bodies: Uint16Array;
}

/** Facts of each document, by its number; only the first `documents` items count. */
export interface Documents {
  readonly documents: number;
  /** 32 bits: enough for the first four billion entries of the log. */
  readonly seqs: Uint32Array;
  readonly titleLengths: Uint16Array;
  readonly bodyLengths: Uint16Array;
  /** Distinct words of the text and distinct grams, by which similarity weighs long documents. */
  readonly wordCounts: Uint16Array;
  readonly gramCounts: Uint16Array;
}

/** Mean lengths in words, to which a document's own are compared. */
export interface Means {
  readonly title: number;
  readonly body: number;
}

/** A long list of postings by blocks of documents; see block-max.ts. */
export interface Heads {
  /** Where in the bytes the postings of each block begin, and one more: where the last ones end. */
  readonly at: Uint32Array;
  /** The document of the posting before, to which the first gap of the block is added. */
  readonly before: Int32Array;
  /** By these means, the most that a document of the block earns; 0 where none has the word. */
  readonly most: Float32Array;
  readonly means: Means;
}

/** A list as it is read for ranking: some of its blocks only. */
export interface LongList {
  readonly bytes: Uint8Array;
  readonly heads: Heads;
}

export interface Part extends Documents {
  /** The signs of the numbers of each meaning, in words of 32 bits; none where meanings are not kept. */
  readonly signs: Uint32Array;
  meaningOf(doc: number): Int8Array;
  /** All of them, one after the other. */
  meanings(): Int8Array;
  /** The number of a document that is still there. */
  locate(seq: number): number | undefined;
  /** 1 where a document is gone from the board. */
  readonly dead: Uint8Array;
  readonly deadCount: number;
  /** Words in the titles and bodies of the documents that are not gone. */
  readonly titleWords: number;
  readonly bodyWords: number;
  postings(term: string): Postings | undefined;
  /** The postings of a word that the part has, into a list that is as long as they are many. */
  readPostings(word: string, into: Postings): void;
  /** A word that stands in many documents, to be read in blocks; undefined for all others, which are read whole. */
  longList(word: string): LongList | undefined;
  /** Adds a weight to the sum of each document that holds the term. */
  addWeight(term: string, weight: number, sums: Float64Array): void;
  /** The same of a gram, for these documents at least. */
  addWeightTo(docs: Uint32Array, gram: string, weight: number, sums: Float64Array): void;
  /** How many documents hold the term, those gone included. */
  frequency(term: string): number;
  /** The same without those gone; where it is many, those gone are taken to have held it as often as the others do. */
  liveFrequency(term: string): number;
  /** Places of a term, posting after posting: those in the title, then those in the body. */
  positions(term: string, postings: Postings): Uint32Array;
  /** Phrases asked for last, where the part does not change. */
  readonly phrases?: Pick<BoundedCache<string, Postings>, "get" | "set">;
  /** Every word that starts so. */
  wordsFrom(start: string): Iterable<readonly [word: string, postings: Postings]>;
}

export const NO_POSTINGS: Postings = { docs: new Uint32Array(0), titles: new Uint16Array(0), bodies: new Uint16Array(0) };

/** Positions in the title and the body are counted each on their own; lengths over this are taken as this. */
export const MAX_COUNT = 0xffff;

/** Terms are kept as UTF-8, which has no halves of surrogate pairs; a cut through one must not make a term that cannot be read back. */
export const termKey = (term: string): string => (term.isWellFormed() ? term : term.toWellFormed());

/** From here on a live frequency is an estimate. */
export const MANY = 2048;

/** How many of these documents are not gone. */
export function liveCount(dead: Uint8Array, docs: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < docs.length; i++) count += 1 - dead[docs[i]!]!;
  return count;
}
