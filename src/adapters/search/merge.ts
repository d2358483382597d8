// Several segments become one, without the documents that are gone; one alone is rewritten for that.
import { ByteReader, ByteWriter } from "../../core/search/index/bytes.ts";
import { readGrams, readWords, writeGramPosting, writeWordPosting } from "../../core/search/index/postings.ts";
import { liveDocuments, type Renumbered } from "./live-documents.ts";
import type { Pace } from "./pace.ts";
import type { Entry, Segment } from "./segment.ts";
import { isGram } from "./segment-format.ts";
import type { SegmentWriter } from "./segment-writer.ts";

/** In the order given, which must be the order of their seqs as far as they have one. */
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
      await writer.settle();
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
  #entries: Iterator<[string, Entry, Uint8Array]> | undefined;
  #entry: Entry | undefined;
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
        [this.term, this.#entry, this.#bytes] = item.value;
        return;
      }
      const block = this.#segment.blocks[this.#block++];
      if (block === undefined) {
        this.term = undefined;
        return;
      }
      this.#bytesAt = block.at;
      this.#entries = this.#segment.readBlock(block)[Symbol.iterator]();
    }
  }

  append(out: Output): void {
    const entry = this.#entry;
    if (entry === undefined || this.term === undefined) return;
    const docs = this.#slice(entry.docsAt, entry.docs);
    if (isGram(this.term)) this.#appendGrams(docs, entry.count, out);
    else this.#appendWords(docs, this.#slice(entry.positionsAt, entry.positions), entry.count, out);
  }

  #appendGrams(bytes: Uint8Array, count: number, out: Output): void {
    const { docs } = readGrams(bytes, count);
    for (let i = 0; i < docs.length; i++) {
      const number = this.#numberOf[docs[i]!]!;
      if (number < 0) continue;
      writeGramPosting(out.docs, number - out.last);
      out.last = number;
      out.count++;
    }
  }

  #appendWords(bytes: Uint8Array, positions: Uint8Array, count: number, out: Output): void {
    const { docs, titles, bodies } = readWords(bytes, count);
    const reader = new ByteReader(positions);
    const before = out.count;
    for (let i = 0; i < docs.length; i++) {
      const number = this.#numberOf[docs[i]!]!;
      const title = titles[i]!;
      const body = bodies[i]!;
      if (number >= 0) {
        writeWordPosting(out.docs, number - out.last, title, body);
        out.last = number;
        out.count++;
      }
      if (this.#whole) continue;
      const from = reader.at;
      for (let left = title + body; left > 0; left--) reader.varint();
      if (number >= 0) out.positions.raw(positions, from, reader.at);
    }
    // Where nothing is left out, positions are the same bytes as before.
    if (this.#whole && out.count > before) out.positions.raw(positions);
  }

  get #whole(): boolean {
    return this.#segment.deadCount === 0;
  }

  #slice(at: number, length: number): Uint8Array {
    return this.#bytes.subarray(at - this.#bytesAt, at - this.#bytesAt + length);
  }
}
