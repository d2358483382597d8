// The records of one page as JSON text. A large page is written straight into bytes: strings of megabytes are slow to join and to free.
import { utf8Length } from "../core/protocol/encoding.ts";
import { LIMITS } from "../core/protocol/limits.ts";

/** Up to this size a page is a string; so are all pages over MCP, which are parsed again. */
const LARGE_CHARS = 768 * 1024;
const START = '{"messages":[';
/** Room for the commas between the records and for the rest of the page. */
const MARGIN = 64 * 1024;
/** Reserved at first, and doubled when it is full: much reserved memory makes the engine collect garbage, whether or not it is written to. */
const FIRST_BYTES = 1024 * 1024;
const MOST_BYTES = LIMITS.page_bytes + MARGIN;

export class PageJson {
  readonly #texts: string[] = [];
  #chars = 0;
  #bytes: Buffer | undefined;
  /** The end of each record in the bytes. */
  readonly #ends: number[] = [];

  /** Adds a record, and returns its size in bytes. */
  add(record: string): number {
    this.#chars += record.length;
    if (this.#bytes === undefined && this.#chars <= LARGE_CHARS) {
      this.#texts.push(record);
      return utf8Length(record);
    }
    if (this.#bytes === undefined) this.#turnIntoBytes();
    return this.#write(record);
  }

  get chars(): number {
    return this.#chars;
  }

  /** Whether the page is held as bytes. */
  get isLarge(): boolean {
    return this.#bytes !== undefined;
  }

  /** The first records and the rest of the page, as a string unless it is large. */
  text(records: number, rest: string): string {
    return `${START}${this.#texts.slice(0, records).join()}${rest}`;
  }

  bytes(records: number, rest: string): Buffer {
    if (this.#bytes === undefined) return Buffer.from(this.text(records, rest));
    const end = this.#ends[records - 1] ?? START.length;
    return this.#bytes.subarray(0, end + this.#bytes.write(rest, end));
  }

  #turnIntoBytes(): void {
    this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#bytes.write(START);
    for (const text of this.#texts) this.#write(text);
    this.#texts.length = 0;
  }

  #write(record: string): number {
    const last = this.#ends.at(-1);
    const from = last === undefined ? START.length : last + 1;
    const length = utf8Length(record);
    // A record that does not fit is larger than a page may be.
    if (from + length + MARGIN / 2 <= MOST_BYTES) {
      const bytes = this.#withRoomFor(from + length + MARGIN / 2);
      if (last !== undefined) bytes.write(",", last);
      bytes.write(record, from);
    }
    this.#ends.push(from + length);
    return length;
  }

  #withRoomFor(size: number): Buffer {
    const bytes = this.#bytes!;
    if (size <= bytes.length) return bytes;
    const larger = Buffer.allocUnsafeSlow(Math.min(MOST_BYTES, Math.max(size, 2 * bytes.length)));
    bytes.copy(larger);
    return (this.#bytes = larger);
  }
}
