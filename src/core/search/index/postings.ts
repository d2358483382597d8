// Postings as bytes. Grams have only the gaps between documents; words have in the two low bits of each gap how often they occur.
import type { ByteWriter } from "./bytes.ts";
import type { Effort } from "./effort.ts";
import type { Positions, Postings } from "./index-part.ts";

/** Low bits: once in the body; more often in the body only; once in the title only; both counts follow. */
const ONCE_IN_BODY = 0;
const BODY_ONLY = 1;
const ONCE_IN_TITLE = 2;

export function writeWordPosting(out: ByteWriter, gap: number, title: number, body: number): void {
  if (title === 0 && body === 1) out.varint(gap * 4 + ONCE_IN_BODY);
  else if (title === 0) {
    out.varint(gap * 4 + BODY_ONLY);
    out.varint(body);
  } else if (title === 1 && body === 0) out.varint(gap * 4 + ONCE_IN_TITLE);
  else {
    out.varint(gap * 4 + 3);
    out.varint(title);
    out.varint(body);
  }
}

export function readGrams(bytes: Uint8Array, count: number): Postings {
  const docs = new Uint32Array(count);
  let at = 0;
  let doc = -1;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++] ?? 0;
    let gap = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0;
      gap |= (byte & 127) << shift;
    }
    doc += gap;
    docs[i] = doc;
  }
  return { docs, titles: new Uint16Array(0), bodies: new Uint16Array(0) };
}

/** Adds a weight to the sum of each document, without listing the documents first. */
export function addGrams(bytes: Uint8Array, weight: number, sums: Float64Array): void {
  let at = 0;
  let doc = -1;
  while (at < bytes.length) {
    let byte = bytes[at++]!;
    if (byte > 127) {
      let gap = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        gap |= (byte & 127) << shift;
      }
      doc += gap;
    } else doc += byte;
    sums[doc]! += weight;
  }
}

/** Like `addGrams`, for a word, whose counts are skipped. */
export function addWords(bytes: Uint8Array, weight: number, sums: Float64Array): void {
  let at = 0;
  let doc = -1;
  while (at < bytes.length) {
    let byte = bytes[at++]!;
    const form = byte & 3;
    let gap = (byte & 127) >>> 2;
    for (let shift = 5; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0;
      gap |= (byte & 127) << shift;
    }
    doc += gap;
    sums[doc]! += weight;
    for (let counts = form === 3 ? 2 : form & 1; counts > 0; counts--) while (bytes[at++]! > 127);
  }
}

/** One bit per document: 1 if it has the gram. */
export function gramBits(bytes: Uint8Array, documents: number): Uint8Array {
  const bits = new Uint8Array((documents + 7) >>> 3);
  let at = 0;
  let doc = -1;
  while (at < bytes.length) {
    let byte = bytes[at++]!;
    let gap = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0;
      gap |= (byte & 127) << shift;
    }
    doc += gap;
    bits[doc >>> 3]! |= 1 << (doc & 7);
  }
  return bits;
}

/** Postings in a file, of a word or of a gram, from one byte to another. */
export interface StoredPostings {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly grams: boolean;
}

/** The same postings for documents that are numbered `shift` higher in `out`: only the first gap differs. Returns the last document. */
export function copyPostings(out: ByteWriter, { bytes, from, to, grams }: StoredPostings, shift: number): number {
  const source = { bytes, at: from };
  const bits = grams ? 0 : 2;
  const head = next(source);
  let doc = (head >>> bits) - 1;
  let form = grams ? 0 : head & 3;
  out.varint((doc + shift) * (grams ? 1 : 4) + form);
  out.raw(bytes, source.at, to);
  for (;;) {
    for (let counts = form === 3 ? 2 : form & 1; counts > 0; counts--) next(source);
    if (source.at >= to) return doc;
    const gap = next(source);
    doc += gap >>> bits;
    form = grams ? 0 : gap & 3;
  }
}

/** For the first posting of a block: its document, its first byte and the document before it. Returns where the next block begins. */
export type Mark = (doc: number, from: number, before: number) => number;

export function readPostings(bytes: Uint8Array, count: number): Postings {
  const postings = { docs: new Uint32Array(count), titles: new Uint16Array(count), bodies: new Uint16Array(count) };
  readWordsInto(bytes, postings);
  return postings;
}

/** Some of a word's postings: from one byte to another, after the document of the posting before. */
interface PostingRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly before?: number | undefined;
  readonly mark?: Mark | undefined;
}

/** Returns their number. Numbers of one byte, which most are, are read without a call: a common word has a million postings. */
export function readWordsInto(
  bytes: Uint8Array,
  { docs, titles, bodies }: Postings,
  { from = 0, to = bytes.length, before = -1, mark }: PostingRange = {},
): number {
  const source = { bytes, at: 0 };
  let at = from;
  let doc = before;
  let until = mark === undefined ? Infinity : 0;
  let i = 0;
  for (; at < to; i++) {
    const start = at;
    const previous = doc;
    let head = bytes[at++]!;
    if (head > 127) {
      source.at = at - 1;
      head = next(source);
      ({ at } = source);
    }
    doc += head >>> 2;
    if (doc >= until && mark !== undefined) until = mark(doc, start, previous);
    docs[i] = doc;
    const form = head & 3;
    let title = form === ONCE_IN_TITLE ? 1 : 0;
    let body = form === ONCE_IN_BODY ? 1 : 0;
    if ((form & 1) === 1) {
      source.at = at;
      if (form !== BODY_ONLY) title = next(source);
      body = next(source);
      ({ at } = source);
    }
    titles[i] = title;
    bodies[i] = body;
  }
  return i;
}

/** Reads the next number. An object instead of a closure makes these loops twice as fast. */
function next(source: { readonly bytes: Uint8Array; at: number }): number {
  const first = source.bytes[source.at++]!;
  if (first < 128) return first;
  let value = first & 127;
  for (let shift = 7, byte = first; byte > 127; shift += 7) {
    byte = source.bytes[source.at++] ?? 0;
    value |= (byte & 127) << shift;
  }
  return value;
}

/** Positions as gaps, which start again in each field of each posting. */
export function writePositions(out: ByteWriter, positions: ArrayLike<number>, title: number, body: number): void {
  for (let field = 0, at = 0; field < 2; field++) {
    let last = 0;
    for (let left = field === 0 ? title : body; left > 0; left--, at++) {
      const position = positions[at] ?? 0;
      out.varint(position - last);
      last = position;
    }
  }
}

/** Bytes that are read at once: all positions of most words, and few of those of a word that occurs millions of times. */
const WINDOW = 64 * 1024;
const SKIPPED_AT_ONCE = 64 * 1024;
const LONGEST_VARINT = 5;

/** The positions of a word in a file. */
export class StoredPositions implements Positions {
  list = new Uint32Array(16);
  readonly from = 0;
  readonly #postings: Postings;
  readonly #length: number;
  readonly #read: (from: number, length: number) => Uint8Array;
  #next = 0;
  readonly #window: { bytes: Uint8Array; at: number } = { bytes: new Uint8Array(0), at: 0 };
  /** How many bytes have been read, the rest of the window included. */
  #end = 0;

  /** `read` returns some of the bytes of all its positions, of which there are `length`. */
  constructor(postings: Postings, length: number, read: (from: number, length: number) => Uint8Array) {
    this.#postings = postings;
    this.#length = length;
    this.#read = read;
  }

  read(posting: number, effort: Effort): boolean {
    if (posting < this.#next) return true;
    if (posting > this.#next && !this.#skipTo(posting, effort)) return false;
    this.#next++;
    this.#decode(this.#postings.titles[posting]!, this.#postings.bodies[posting]!, effort);
    return true;
  }

  #skipTo(posting: number, effort: Effort): boolean {
    const { titles, bodies } = this.#postings;
    let skipped = 0;
    for (; this.#next < posting && skipped < SKIPPED_AT_ONCE; this.#next++) skipped += titles[this.#next]! + bodies[this.#next]!;
    this.#skip(skipped);
    effort.spend(skipped);
    return this.#next === posting;
  }

  #skip(count: number): void {
    const window = this.#window;
    for (let left = count; left > 0;) {
      this.#fill(1);
      const { bytes } = window;
      let { at } = window;
      if (at === bytes.length) return;
      while (left > 0 && at < bytes.length) if (bytes[at++]! < 128) left--;
      window.at = at;
    }
  }

  #decode(title: number, body: number, effort: Effort): void {
    const count = title + body;
    effort.spend(count);
    if (this.list.length < count) this.list = new Uint32Array(count * 2);
    this.#fill(count * LONGEST_VARINT);
    const { list } = this;
    const window = this.#window;
    const { bytes } = window;
    let { at } = window;
    for (let i = 0, position = 0; i < count; i++) {
      if (i === title) position = 0;
      // Numbers of one byte, which most are, are read without a call.
      let gap = bytes[at++]!;
      if (gap > 127) {
        window.at = at - 1;
        gap = next(window);
        ({ at } = window);
      }
      list[i] = position += gap;
    }
    window.at = at;
  }

  /** Reads on if fewer bytes are left in the window, unless there are no more. */
  #fill(bytes: number): void {
    const window = this.#window;
    const left = window.bytes.length - window.at;
    if (left >= bytes || this.#end === this.#length) return;
    const from = this.#end - left;
    window.bytes = this.#read(from, Math.min(Math.max(bytes, WINDOW), this.#length - from));
    window.at = 0;
    this.#end = from + window.bytes.length;
  }
}
