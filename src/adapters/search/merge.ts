// Merges several segments into one, without ended documents; a single one is rewritten for that.
import { ByteReader, ByteWriter } from "../../core/search/index/bytes.ts";
import { copyPostings, readGrams, readPostings, writeWordPosting } from "../../core/search/index/postings.ts";
import { liveDocuments, type Renumbered } from "./renumber-live-documents.ts";
import type { Pace } from "./pace.ts";
import { termsOf, type TermEntry, type Segment } from "./segment.ts";
import { isGram } from "./segment-format.ts";
import type { SegmentWriter } from "./segment-writer.ts";

/** The segments must be in the order of their seqs, as far as their seqs do not overlap. */
export async function mergeSegments(segments: readonly Segment[], writer: SegmentWriter, pace: Pace): Promise<Renumbered> {
  const renumbered = liveDocuments(segments);
  const cursors = segments.map((segment, i) => new Cursor(segment, renumbered.numbers[i]!));
  const out = { docs: new ByteWriter(), positions: new ByteWriter(), count: 0, last: -1 };
  for (;;) {
    let term: string | undefined;
    for (const cursor of cursors) if (cursor.term !== undefined && (term === undefined || cursor.term < term)) term = cursor.term;
    if (term === undefined) break;
    out.docs.clear();
    out.positions.clear();
    out.count = 0;
    out.last = -1;
    for (const cursor of cursors) {
      if (cursor.term !== term) continue;
      cursor.append(out);
      cursor.next();
    }
    if (out.count > 0) writer.term(term, out.count, out.docs.view(), out.positions.view());
    const rest = pace.step();
    if (rest !== undefined) {
      await rest;
      await writer.syncIfDue();
    }
  }
  await writer.finish(renumbered.documents);
  return renumbered;
}

interface Output {
  readonly docs: ByteWriter;
  readonly positions: ByteWriter;
  count: number;
  last: number;
}

class Cursor {
  term: string | undefined;
  readonly #segment: Segment;
  readonly #numberOf: Int32Array;
  #block = 0;
  #entries: Iterator<[string, TermEntry]> | undefined;
  #entry: TermEntry | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #bytesAt = 0;

  constructor(segment: Segment, numberOf: Int32Array) {
    this.#segment = segment;
    this.#numberOf = numberOf;
    this.next();
  }

  next(): void {
    for (;;) {
      const item = this.#entries?.next();
      if (item !== undefined && item.done !== true) {
        [this.term, this.#entry] = item.value;
        return;
      }
      const block = this.#segment.blocks[this.#block++];
      if (block === undefined) {
        this.term = undefined;
        return;
      }
      this.#bytesAt = block.at;
      this.#bytes = this.#segment.readBlock(block);
      this.#entries = termsOf(this.#bytes, block);
    }
  }

  append(out: Output): void {
    const entry = this.#entry;
    if (entry === undefined || this.term === undefined) return;
    const grams = isGram(this.term);
    if (this.#segment.deadCount === 0) this.#appendWhole(entry, grams, out);
    else if (grams) this.#appendGrams(this.#slice(entry.docsAt, entry.docs), entry.count, out);
    else this.#appendWords(this.#slice(entry.docsAt, entry.docs), this.#slice(entry.positionsAt, entry.positions), entry.count, out);
  }

  /** If nothing is left out, almost all bytes stay the same. */
  #appendWhole({ docsAt, docs, positionsAt, positions, count }: TermEntry, grams: boolean, out: Output): void {
    const first = this.#numberOf[0]!;
    const from = docsAt - this.#bytesAt;
    const last = copyPostings(out.docs, { bytes: this.#bytes, from, to: from + docs, grams }, first - out.last);
    out.positions.raw(this.#bytes, positionsAt - this.#bytesAt, positionsAt - this.#bytesAt + positions);
    out.last = first + last;
    out.count += count;
  }

  #appendGrams(bytes: Uint8Array, count: number, out: Output): void {
    const { docs } = readGrams(bytes, count);
    for (let i = 0; i < docs.length; i++) {
      const number = this.#numberOf[docs[i]!]!;
      if (number < 0) continue;
      out.docs.varint(number - out.last);
      out.last = number;
      out.count++;
    }
  }

  #appendWords(bytes: Uint8Array, positions: Uint8Array, count: number, out: Output): void {
    const { docs, titles, bodies } = readPostings(bytes, count);
    const reader = new ByteReader(positions);
    for (let i = 0; i < docs.length; i++) {
      const number = this.#numberOf[docs[i]!]!;
      const title = titles[i]!;
      const body = bodies[i]!;
      const from = reader.at;
      for (let left = title + body; left > 0; left--) reader.varint();
      if (number < 0) continue;
      writeWordPosting(out.docs, number - out.last, title, body);
      out.positions.raw(positions, from, reader.at);
      out.last = number;
      out.count++;
    }
  }

  #slice(at: number, length: number): Uint8Array {
    return this.#bytes.subarray(at - this.#bytesAt, at - this.#bytesAt + length);
  }
}
