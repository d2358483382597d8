// One part of the index, in memory or in a file: documents numbered from 0, and the postings of each term.

import type { BoundedCache } from "../../bounded-cache.ts";
import type { Clause } from "../query.ts";
import type { Effort } from "./effort.ts";

/** The documents that contain a term, ascending, and how often it occurs in their title and body. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly titles: Uint16Array;
  readonly bodies: Uint16Array;
}

/** Where a word is in one document after the other. */
export interface Positions {
  /** In the document that was read last, its positions begin at `from`: those in the title, then those in the body. */
  readonly list: Uint32Array;
  readonly from: number;
  /** Reads those of a posting, which is not before the last one. False if many others had to be skipped first: then it is called again. */
  read(posting: number, effort: Effort): boolean;
}

/** The postings of a clause among the first documents of a part. */
export interface FoundClause {
  readonly postings: Postings;
  readonly documents: number;
}

/** Facts of each document, by its number; only the first `documents` items count. */
export interface Documents {
  readonly documents: number;
  /** 32 bits: enough for the first four billion entries of the log. */
  readonly seqs: Uint32Array;
  readonly titleLengths: Uint16Array;
  readonly bodyLengths: Uint16Array;
  /** Distinct words of the text and distinct grams, by which similarity adjusts for long documents. */
  readonly wordCounts: Uint16Array;
  readonly gramCounts: Uint16Array;
}

/** Mean lengths in words, with which a document's own are compared. */
export interface MeanLengths {
  readonly title: number;
  readonly body: number;
}

/** A long posting list by blocks of documents; see block-maxima.ts. */
export interface BlockMaxima {
  /** The byte offset of each block's postings, and one more: the end of the last. */
  readonly at: Uint32Array;
  /** The document of the posting before the block, to which the first gap is added. */
  readonly before: Int32Array;
  /** For these mean lengths, the highest score of a document in the block; 0 if none has the word. */
  readonly most: Float32Array;
  readonly means: MeanLengths;
}

/** A list as it is read for ranking: only some of its blocks. */
export interface LongList {
  readonly bytes: Uint8Array;
  readonly maxima: BlockMaxima;
}

export interface IndexPart extends Documents {
  /** The signs of the numbers of each meaning, in words of 32 bits; empty if meanings are off. */
  readonly signs: Uint32Array;
  meaningOf(doc: number): Int8Array;
  /** The meanings of all documents, one after the other. */
  meanings(): Int8Array;
  /** The number of a live document. */
  locate(seq: number): number | undefined;
  /** 1 if a document is no longer on the board. */
  readonly dead: Uint8Array;
  readonly deadCount: number;
  /** Words in the titles and bodies of live documents. */
  readonly titleWords: number;
  readonly bodyWords: number;
  postings(term: string): Postings | undefined;
  /** Reads the postings of a word of this part into a list that has exactly their number. */
  readPostings(word: string, into: Postings): void;
  /** A word in many documents, which is read in blocks; undefined for all others, which are read whole. */
  longList(word: string): LongList | undefined;
  /** Adds a weight to the sum of each document with the term. */
  addWeight(term: string, weight: number, sums: Float64Array): void;
  /** Adds the weight of a gram to the sum of each of these documents that has it. Other documents may get it too. */
  addWeightTo(docs: Uint32Array, gram: string, weight: number, sums: Float64Array): void;
  /** The number of documents with the term, ended ones included. */
  frequency(term: string): number;
  /**
   * The number of live documents with the term. If there are many, it is an estimate that assumes that ended documents had the term as
   * often as live ones.
   */
  liveFrequency(term: string): number;
  positions(word: string, postings: Postings): Positions;
  /** The latest phrases and prefixes. A part only grows: what was found among its documents stays. */
  readonly phrases: Pick<BoundedCache<string, FoundClause>, "get" | "set">;
  /** What was put together in advance for the clauses of running queries. */
  readonly prepared: Pick<WeakMap<Clause, FoundClause>, "get" | "set">;
  /** Every word with this prefix; undefined after many others, so that other work can run. */
  wordsFrom(start: string): Iterable<readonly [word: string, postings: Postings] | undefined>;
}

export const NO_POSTINGS: Postings = { docs: new Uint32Array(0), titles: new Uint16Array(0), bodies: new Uint16Array(0) };

/** Positions are counted separately in title and body; lengths over this count as this. */
export const MAX_COUNT = 0xffff;

/** Terms are kept as UTF-8, which has no lone surrogates: cutting a pair in two would make a term that cannot be read back. */
export const termKey = (term: string): string => (term.isWellFormed() ? term : term.toWellFormed());

/** From here on a live frequency is an estimate. */
export const MANY = 2048;

/** The number of live documents among these. */
export function liveCount(dead: Uint8Array, docs: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < docs.length; i++) count += 1 - dead[docs[i]!]!;
  return count;
}
