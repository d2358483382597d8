// A segment file as a part of the index: its document table and block index in memory, postings read on demand.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { BoundedCache } from "../../core/bounded-cache.ts";
import { ByteReader } from "../../core/search/index/bytes.ts";
import { blockMaximaOf } from "../../core/search/index/block-maxima.ts";
import {
  type BlockMaxima,
  liveCount,
  type LongList,
  MANY,
  NO_POSTINGS,
  type FoundClause,
  type IndexPart,
  type Positions,
  type Postings,
  termKey,
} from "../../core/search/index/index-part.ts";
import { addGrams, addWords, gramBits, readGrams, readPostings, readWordsInto, StoredPositions } from "../../core/search/index/postings.ts";
import type { Clause } from "../../core/search/query.ts";
import { signWords, writeSignBits } from "../../core/search/meaning/vector-similarity.ts";
import { seek } from "../../core/search/index/gallop.ts";
import { type Block, Corrupt, FOOTER_BYTES, isGram, readFooter } from "./segment-format.ts";

/** Bytes per document, before the meanings. */
const COUNTS_BYTES = 12;

/** A term's position in its block. */
export interface TermEntry {
  readonly count: number;
  readonly docsAt: number;
  readonly docs: number;
  readonly positionsAt: number;
  readonly positions: number;
}

/** The entry of a term, if it exists; and the number of its live documents when the segment had `deadCount` ended documents. */
interface CachedTerm {
  readonly entry: TermEntry | undefined;
  live: number;
  deadCount: number;
}

/** Cached dictionaries of the latest blocks, and terms found: one query text has hundreds of terms, which are looked up again and again. */
const CACHED_BLOCKS = 512;
const CACHED_TERMS = 4096;
/**
 * Cached long lists: the starts of blocks for a word, one bit per document for a gram. Each takes a kilobyte for ten thousand documents.
 */
const CACHED_LISTS = 192;
/** Cached phrases: at least this many, unless together they have more documents than the segment. */
const CACHED_PHRASES = 64;
/** A list is long if it has at least LONG postings and contains at least one in LONG_SHARE documents. */
const LONG = 512;
const LONG_SHARE = 16;

export class Segment implements IndexPart {
  readonly path: string;
  readonly bytes: number;
  readonly documents: number;
  readonly seqs: Uint32Array;
  readonly titleLengths: Uint16Array;
  readonly bodyLengths: Uint16Array;
  readonly wordCounts: Uint16Array;
  readonly gramCounts: Uint16Array;
  readonly blocks: readonly Block[];
  readonly signs: Uint32Array;
  readonly #dimensions: number;
  readonly #meaningsAt: number;
  dead: Uint8Array;
  deadCount = 0;
  titleWords = 0;
  bodyWords = 0;
  #file: number;
  readonly phrases: BoundedCache<string, FoundClause>;
  readonly prepared = new WeakMap<Clause, FoundClause>();
  readonly #inOrder: boolean;
  readonly #dictionaries = new BoundedCache<Block, Uint8Array>(CACHED_BLOCKS);
  readonly #known = new BoundedCache<string, CachedTerm>(CACHED_TERMS);
  readonly #maxima = new BoundedCache<string, BlockMaxima>(CACHED_LISTS);
  readonly #bits = new BoundedCache<string, Uint8Array>(CACHED_LISTS);

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "r");
    try {
      const { size } = fstatSync(this.#file);
      if (size < FOOTER_BYTES) throw new Corrupt("the file is too short");
      const footer = readFooter(this.read(size - FOOTER_BYTES, FOOTER_BYTES), size - FOOTER_BYTES, crc32);
      const head = this.read(footer.tablesAt, footer.length - footer.tablesAt);
      if (crc32(head) !== footer.checksum) throw new Corrupt("the tables are damaged");
      const n = footer.documents;
      const copy = (from: number, to: number): ArrayBuffer => new Uint8Array(head.subarray(from, to)).buffer;
      this.bytes = size;
      this.documents = n;
      this.seqs = new Uint32Array(copy(0, n * 4));
      this.titleLengths = new Uint16Array(copy(n * 4, n * 6));
      this.bodyLengths = new Uint16Array(copy(n * 6, n * 8));
      this.wordCounts = new Uint16Array(copy(n * 8, n * 10));
      this.gramCounts = new Uint16Array(copy(n * 10, n * 12));
      this.#meaningsAt = footer.tablesAt + n * COUNTS_BYTES;
      const meanings = new Int8Array(copy(n * COUNTS_BYTES, footer.indexAt - footer.tablesAt));
      this.#dimensions = n === 0 ? 0 : meanings.length / n;
      this.signs = allSigns(meanings, this.#dimensions, n);
      this.blocks = readBlocks(head.subarray(footer.indexAt - footer.tablesAt), footer.blocks);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
    this.phrases = new BoundedCache(2 * this.documents, ({ postings: { docs } }) => Math.max(docs.length, this.documents / CACHED_PHRASES));
    this.dead = new Uint8Array(this.documents);
    this.titleWords = this.titleLengths.reduce((sum, words) => sum + words, 0);
    this.bodyWords = this.bodyLengths.reduce((sum, words) => sum + words, 0);
    this.#inOrder = this.seqs.every((seq, i) => i === 0 || seq > this.seqs[i - 1]!);
  }

  get live(): number {
    return this.documents - this.deadCount;
  }

  /** Read on demand: only the signs are in memory. */
  meaningOf(doc: number): Int8Array {
    return signed(this.read(this.#meaningsAt + doc * this.#dimensions, this.#dimensions));
  }

  meanings(): Int8Array {
    return signed(this.read(this.#meaningsAt, this.documents * this.#dimensions));
  }

  /** The number of a live document. */
  locate(seq: number): number | undefined {
    const doc = this.#inOrder ? seek(this.seqs, seq, 0) : this.seqs.indexOf(seq);
    return this.seqs[doc] === seq && this.dead[doc] === 0 ? doc : undefined;
  }

  kill(doc: number): void {
    if (this.dead[doc] === 1) return;
    this.dead[doc] = 1;
    this.deadCount++;
    this.titleWords -= this.titleLengths[doc]!;
    this.bodyWords -= this.bodyLengths[doc]!;
  }

  postings(term: string): Postings | undefined {
    const { entry } = this.#find(term);
    if (entry === undefined) return undefined;
    const bytes = this.read(entry.docsAt, entry.docs);
    return isGram(term) ? readGrams(bytes, entry.count) : readPostings(bytes, entry.count);
  }

  readPostings(word: string, into: Postings): void {
    const { entry } = this.#find(word);
    if (entry !== undefined) readWordsInto(this.read(entry.docsAt, entry.docs), into);
  }

  longList(word: string): LongList | undefined {
    const { entry } = this.#find(word);
    if (entry === undefined || entry.count < LONG || entry.count * LONG_SHARE < this.documents) return undefined;
    const bytes = this.read(entry.docsAt, entry.docs);
    const live = Math.max(1, this.live);
    const means = { title: this.titleWords / live, body: this.bodyWords / live };
    return { bytes, maxima: this.#maxima.of(word, () => blockMaximaOf(bytes, entry.count, this, means)) };
  }

  addWeight(term: string, weight: number, sums: Float64Array): void {
    const { entry } = this.#find(term);
    if (entry === undefined) return;
    const bytes = this.read(entry.docsAt, entry.docs);
    if (isGram(term)) addGrams(bytes, weight, sums);
    else addWords(bytes, weight, sums);
  }

  addWeightTo(docs: Uint32Array, gram: string, weight: number, sums: Float64Array): void {
    const { entry } = this.#find(gram);
    if (entry === undefined || docs.length === 0) return;
    const bits = this.#bits.of(gram, () => gramBits(this.read(entry.docsAt, entry.docs), this.documents));
    for (const doc of docs) if ((bits[doc >>> 3]! & (1 << (doc & 7))) !== 0) sums[doc]! += weight;
  }

  frequency(term: string): number {
    return this.#find(term).entry?.count ?? 0;
  }

  liveFrequency(term: string): number {
    const known = this.#find(term);
    const count = known.entry?.count ?? 0;
    if (count > MANY) return Math.round((count * this.live) / this.documents);
    if (known.deadCount !== this.deadCount) {
      known.live = liveCount(this.dead, this.postings(term)?.docs ?? NO_POSTINGS.docs);
      known.deadCount = this.deadCount;
    }
    return known.live;
  }

  positions(word: string, postings: Postings): Positions {
    const { positionsAt = 0, positions = 0 } = this.#find(word).entry ?? {};
    return new StoredPositions(postings, positions, (from, length) => this.read(positionsAt + from, length));
  }

  *wordsFrom(start: string): Iterable<[string, Postings]> {
    for (let b = Math.max(0, this.#blockOf(start)); b < this.blocks.length; b++) {
      const block = this.blocks[b]!;
      if (block.first > start && !block.first.startsWith(start)) return;
      const found = [...termsOf(this.#dictionary(block), block)].filter(([term]) => term.startsWith(start) && !isGram(term));
      const first = found[0]?.[1];
      const last = found.at(-1)?.[1];
      if (first === undefined || last === undefined) continue;
      // The documents of neighbouring terms are adjacent: one read for all of them.
      const bytes = this.read(first.docsAt, last.docsAt + last.docs - first.docsAt);
      for (const [term, { docsAt, docs, count }] of found) {
        yield [term, readPostings(bytes.subarray(docsAt - first.docsAt, docsAt - first.docsAt + docs), count)];
      }
    }
  }

  /** One block, checked against its checksum. */
  readBlock(block: Block): Uint8Array {
    const bytes = this.read(block.at, block.dictionary + block.docs + block.positions);
    if (crc32(bytes) !== block.checksum) throw new Corrupt(`a block of ${this.path} is damaged`);
    return bytes;
  }

  read(at: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const got = readSync(this.#file, bytes, done, length - done, at + done);
      if (got === 0) throw new Corrupt(`${this.path} ends early`);
      done += got;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#file);
    // Another file may get the same descriptor, so nothing may be read with it any more.
    this.#file = -1;
  }

  #find(term: string): CachedTerm {
    return this.#known.of(term, () => {
      const key = termKey(term);
      const block = this.blocks[this.#blockOf(key)];
      const entry = block === undefined ? undefined : findEntry(this.#dictionary(block), block, Buffer.from(key));
      return { entry, live: entry?.count ?? 0, deadCount: 0 };
    });
  }

  /** The last block whose first term is not after the term. */
  #blockOf(term: string): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.blocks[middle]!.first <= term) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #dictionary(block: Block): Uint8Array {
    return this.#dictionaries.of(block, () => this.read(block.at, block.dictionary));
  }
}

const signed = (bytes: Uint8Array): Int8Array => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function allSigns(meanings: Int8Array, dimensions: number, documents: number): Uint32Array {
  const words = signWords(dimensions);
  const signs = new Uint32Array(documents * words);
  if (dimensions === 0) return signs;
  for (let doc = 0; doc < documents; doc++) writeSignBits(meanings.subarray(doc * dimensions, (doc + 1) * dimensions), signs, doc * words);
  return signs;
}

function readBlocks(bytes: Uint8Array, count: number): Block[] {
  const reader = new ByteReader(bytes);
  const blocks: Block[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const length = reader.varint();
    const first = text(bytes.subarray(reader.at, (reader.at += length)));
    const block = { first, at, dictionary: reader.varint(), docs: reader.varint(), positions: reader.varint(), checksum: reader.varint() };
    blocks.push(block);
    at += block.dictionary + block.docs + block.positions;
  }
  return blocks;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

/** All terms of a block, whose bytes begin with its dictionary. */
export function* termsOf(bytes: Uint8Array, block: Block): Generator<[string, TermEntry], void, void> {
  const reader = new ByteReader(bytes);
  const term = Buffer.allocUnsafe(1024);
  let docsAt = block.at + block.dictionary;
  let positionsAt = docsAt + block.docs;
  while (reader.at < block.dictionary) {
    const shared = reader.varint();
    const length = reader.varint();
    for (let i = 0; i < length; i++) term[shared + i] = bytes[reader.at++]!;
    const entry = { count: reader.varint(), docsAt, docs: reader.varint(), positionsAt, positions: reader.varint() };
    docsAt += entry.docs;
    positionsAt += entry.positions;
    yield [term.toString("utf8", 0, shared + length), entry];
  }
}

/** Compares bytes only if an entry can still match: most are skipped after a number or two. */
function findEntry(dictionary: Uint8Array, block: Block, key: Uint8Array): TermEntry | undefined {
  const reader = new ByteReader(dictionary);
  let docsAt = block.at + block.dictionary;
  let positionsAt = docsAt + block.docs;
  let matched = 0;
  while (!reader.done) {
    const shared = reader.varint();
    const length = reader.varint();
    if (shared <= matched) {
      matched = shared;
      while (matched < key.length && matched < shared + length && dictionary[reader.at + matched - shared] === key[matched]) matched++;
    }
    const found = shared <= matched && matched === key.length && shared + length === key.length;
    reader.at += length;
    const count = reader.varint();
    const docs = reader.varint();
    const positions = reader.varint();
    if (found) return { count, docsAt, docs, positionsAt, positions };
    docsAt += docs;
    positionsAt += positions;
  }
  return undefined;
}
