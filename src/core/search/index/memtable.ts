// The newest documents, kept in memory until there are enough for a file.
import { BoundedCache } from "../../bounded-cache.ts";
import type { Document } from "../document.ts";
import { GRAM } from "../grams.ts";
import type { Clause } from "../query.ts";
import { textEnd } from "../similarity.ts";
import { signWords, writeSignBits } from "../meaning/vector-similarity.ts";
import { FoundPositions } from "./found-postings.ts";
import {
  type FoundClause,
  type IndexPart,
  liveCount,
  MAX_COUNT,
  NO_POSTINGS,
  type Positions,
  type Postings,
  termKey,
} from "./index-part.ts";
import { BODY, TITLE, type VisitWord, PositionArena } from "./position-arena.ts";

/** Twice as many as a query can have, at least. */
const CACHED_PHRASES = 64;
const WORDS_AT_ONCE = 4096;

export class Memtable implements IndexPart {
  readonly #words = new PositionArena();
  readonly #grams = new Map<string, number[]>();
  readonly #numbers = new Map<number, number>();
  readonly #dimensions: number;
  #meanings: Int8Array<ArrayBuffer>;
  signs: Uint32Array<ArrayBuffer>;
  seqs = new Uint32Array(256);
  titleLengths = new Uint16Array(256);
  bodyLengths = new Uint16Array(256);
  wordCounts = new Uint16Array(256);
  gramCounts = new Uint16Array(256);
  dead = new Uint8Array(256);
  readonly phrases = new BoundedCache<string, FoundClause>(CACHED_PHRASES);
  readonly prepared = new WeakMap<Clause, FoundClause>();
  documents = 0;
  deadCount = 0;
  titleWords = 0;
  bodyWords = 0;
  /** Distinct words so far of the document that is being added. */
  #distinct = 0;

  /** `dimensions` of a meaning; 0 if there are none. */
  constructor(dimensions = 0) {
    this.#dimensions = dimensions;
    this.#meanings = new Int8Array(this.seqs.length * dimensions);
    this.signs = new Uint32Array(this.seqs.length * signWords(dimensions));
  }

  /** Word positions in memory, also of ended documents: a measure of its size if texts are long. */
  get places(): number {
    return this.#words.count;
  }

  add(seq: number, document: Document, meaning?: Int8Array): void {
    const { title, body, grams } = document;
    const doc = this.documents++;
    if (doc === this.seqs.length) this.#grow();
    this.seqs[doc] = seq;
    this.#numbers.set(seq, doc);
    if (meaning !== undefined) {
      this.#meanings.set(meaning, doc * this.#dimensions);
      writeSignBits(meaning, this.signs, doc * signWords(this.#dimensions));
    }
    this.#distinct = 0;
    this.titleWords += this.titleLengths[doc] = this.#place(doc, title, TITLE, title.length);
    this.bodyWords += this.bodyLengths[doc] = this.#place(doc, body, BODY, textEnd(document));
    this.wordCounts[doc] = Math.min(this.#distinct, MAX_COUNT);
    this.gramCounts[doc] = Math.min(grams.length, MAX_COUNT);
    for (const gram of grams) {
      const docs = this.#grams.get(gram) ?? this.#grams.get(termKey(gram));
      // Most grams stay with one document, and a list that began empty would have room for 17.
      if (docs === undefined) this.#grams.set(termKey(gram), [doc]);
      else if (docs[docs.length - 1] !== doc) docs.push(doc);
    }
  }

  /** The number of a live document. */
  locate(seq: number): number | undefined {
    return this.#numbers.get(seq);
  }

  meaningOf(doc: number): Int8Array {
    return this.#meanings.subarray(doc * this.#dimensions, (doc + 1) * this.#dimensions);
  }

  meanings(): Int8Array {
    return this.#meanings.subarray(0, this.documents * this.#dimensions);
  }

  kill(doc: number): void {
    this.dead[doc] = 1;
    this.deadCount++;
    this.titleWords -= this.titleLengths[doc]!;
    this.bodyWords -= this.bodyLengths[doc]!;
    this.#numbers.delete(this.seqs[doc]!);
  }

  /** All words and grams, in no order. */
  terms(): string[] {
    return [...this.#words.words(), ...this.#grams.keys()];
  }

  gramDocs(gram: string): readonly number[] {
    return this.#grams.get(termKey(gram)) ?? [];
  }

  eachPosting(word: string, visit: VisitWord): void {
    this.#words.each(word, visit);
  }

  postings(term: string): Postings | undefined {
    const count = this.frequency(term);
    if (count === 0) return undefined;
    if (term.startsWith(GRAM)) {
      return { docs: Uint32Array.from(this.gramDocs(term)), titles: new Uint16Array(0), bodies: new Uint16Array(0) };
    }
    const found = { docs: new Uint32Array(count), titles: new Uint16Array(count), bodies: new Uint16Array(count) };
    this.readPostings(term, found);
    return found;
  }

  readPostings(word: string, { docs, titles, bodies }: Postings): void {
    let next = 0;
    this.eachPosting(word, (doc, title, body) => {
      docs[next] = doc;
      titles[next] = title;
      bodies[next++] = body;
    });
  }

  longList(): undefined {
    return undefined;
  }

  addWeight(term: string, weight: number, sums: Float64Array): void {
    for (const doc of this.postings(term)?.docs ?? []) sums[doc]! += weight;
  }

  addWeightTo(_docs: Uint32Array, gram: string, weight: number, sums: Float64Array): void {
    this.addWeight(gram, weight, sums);
  }

  frequency(term: string): number {
    const key = termKey(term);
    return key.startsWith(GRAM) ? (this.#grams.get(key)?.length ?? 0) : this.#words.documents(key);
  }

  liveFrequency(term: string): number {
    return this.deadCount === 0 ? this.frequency(term) : liveCount(this.dead, this.postings(term)?.docs ?? NO_POSTINGS.docs);
  }

  positions(word: string): Positions {
    const found = new FoundPositions();
    this.eachPosting(word, (_, title, body, positions) => found.add(positions, title + body));
    return found;
  }

  *wordsFrom(start: string): Iterable<[string, Postings] | undefined> {
    let passed = 0;
    for (const word of this.#words.words()) {
      if (++passed % WORDS_AT_ONCE === 0) yield undefined;
      const postings = word.startsWith(start) ? this.postings(word) : undefined;
      if (postings !== undefined) yield [word, postings];
    }
  }

  /** Adds the words of a field; returns their number. Only words before `end` count as distinct words, by which texts are compared. */
  #place(doc: number, words: readonly string[], field: typeof TITLE | typeof BODY, end: number): number {
    let count = 0;
    for (let position = 0; position < words.length; position++) {
      const word = words[position]!;
      if (word === "") continue;
      count++;
      if (this.#words.add(word, doc, field, position) && position < end) this.#distinct++;
    }
    return Math.min(count, MAX_COUNT);
  }

  #grow(): void {
    const size = this.seqs.length * 2;
    const grown = <A extends Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Int8Array<ArrayBuffer>>(
      to: A,
      from: A,
    ): A => {
      to.set(from);
      return to;
    };
    this.seqs = grown(new Uint32Array(size), this.seqs);
    this.titleLengths = grown(new Uint16Array(size), this.titleLengths);
    this.bodyLengths = grown(new Uint16Array(size), this.bodyLengths);
    this.wordCounts = grown(new Uint16Array(size), this.wordCounts);
    this.gramCounts = grown(new Uint16Array(size), this.gramCounts);
    this.#meanings = grown(new Int8Array(size * this.#dimensions), this.#meanings);
    this.signs = grown(new Uint32Array(size * signWords(this.#dimensions)), this.signs);
    this.dead = grown(new Uint8Array(size), this.dead);
  }
}
