// The records of one page as JSON. They stay texts until they are sent: joining and encoding long strings takes longer than copying each.
import { LIMITS } from "../core/protocol/limits.ts";
import type { RecordJson } from "../core/view/record-json.ts";

/** A larger page is written into bytes record by record, because it is not kept and would take its memory twice. */
const LARGE_BYTES = 768 * 1024;
const START = '{"messages":[';
const COMMA = 0x2c;
/** Room for the commas between the records and for the rest of the page. */
const MARGIN = 64 * 1024;
/** Reserved at first, and doubled when it is full: much reserved memory makes the engine collect garbage, whether or not it is written to. */
const FIRST_BYTES = 1024 * 1024;
const MOST_BYTES = LIMITS.page_bytes + MARGIN;

/** A page as the texts of its records. */
export class PageText {
  readonly bytes: number;
  readonly #records: readonly string[];
  /** What follows the records, in ASCII. */
  readonly #rest: string;
  readonly #encoding: "latin1" | "utf8";

  constructor(records: readonly string[], rest: string, bytes: number, encoding: "latin1" | "utf8") {
    this.#records = records;
    this.#rest = rest;
    this.bytes = bytes;
    this.#encoding = encoding;
  }

  /** The same page with more ASCII at its end. */
  followedBy(end: string): PageText {
    return new PageText(this.#records, this.#rest + end, this.bytes + end.length, this.#encoding);
  }

  /** Writes the page, for which there must be room, and returns where it ends. */
  writeTo(target: Buffer, from: number): number {
    let at = from + target.write(START, from, "latin1");
    for (const [i, record] of this.#records.entries()) {
      if (i > 0) target[at++] = COMMA;
      at += target.write(record, at, this.#encoding);
    }
    return at + target.write(this.#rest, at, "latin1");
  }

  toBytes(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.bytes);
    this.writeTo(bytes, 0);
    return bytes;
  }
}

export class PageJson {
  readonly #texts: string[] = [];
  readonly #sizes: number[] = [];
  #size = 0;
  #bytes: Buffer | undefined;
  /** The end of each record in the bytes. */
  readonly #ends: number[] = [];

  /** Adds a record, and returns its size in bytes. */
  add({ text, bytes }: RecordJson): number {
    this.#size += bytes;
    if (this.#bytes === undefined && this.#size <= LARGE_BYTES) {
      this.#texts.push(text);
      this.#sizes.push(bytes);
      return bytes;
    }
    if (this.#bytes === undefined) this.#turnIntoBytes();
    this.#write(text, bytes);
    return bytes;
  }

  /** The size of all records. */
  get size(): number {
    return this.#size;
  }

  /** Whether the page is held as bytes. */
  get isLarge(): boolean {
    return this.#bytes !== undefined;
  }

  /** The first records of a page that is not large, and the rest of it in ASCII. */
  text(records: number, rest: string): PageText {
    const texts = this.#texts.slice(0, records);
    const bytes = sum(this.#sizes.slice(0, records));
    // Texts with as many bytes as characters are plain ASCII, which is only copied.
    const encoding = sum(texts.map(({ length }) => length)) === bytes ? "latin1" : "utf8";
    return new PageText(texts, rest, START.length + bytes + Math.max(0, records - 1) + rest.length, encoding);
  }

  /** The same of a large page, as bytes. */
  bytes(records: number, rest: string): Buffer {
    const bytes = this.#bytes ?? Buffer.alloc(0);
    const end = this.#ends[records - 1] ?? START.length;
    return bytes.subarray(0, end + bytes.write(rest, end, "latin1"));
  }

  #turnIntoBytes(): void {
    this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#bytes.write(START);
    for (const [i, text] of this.#texts.entries()) this.#write(text, this.#sizes[i]!);
    this.#texts.length = 0;
  }

  #write(text: string, size: number): void {
    const last = this.#ends.at(-1);
    const from = last === undefined ? START.length : last + 1;
    // A record that does not fit is larger than a page may be.
    if (from + size + MARGIN / 2 <= MOST_BYTES) {
      const bytes = this.#withRoomFor(from + size + MARGIN / 2);
      if (last !== undefined) bytes[last] = COMMA;
      bytes.write(text, from);
    }
    this.#ends.push(from + size);
  }

  #withRoomFor(size: number): Buffer {
    const bytes = this.#bytes!;
    if (size <= bytes.length) return bytes;
    const larger = Buffer.allocUnsafeSlow(Math.min(MOST_BYTES, Math.max(size, 2 * bytes.length)));
    bytes.copy(larger);
    return (this.#bytes = larger);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
