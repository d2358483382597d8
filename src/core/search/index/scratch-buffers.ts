// Buffers for the long lists of one search, reused by the next: allocating and clearing megabytes takes longer than scanning them.
import type { Postings } from "./index-part.ts";

/** Lists whose buffers are reused; queries with more common words are rare and allocate their own. */
const REUSED_LISTS = 4;

/** A buffer is valid until the same one is requested again. One search at a time may use it. */
export class ScratchBuffers {
  readonly #lists: Postings[] = [];
  #docs = new Uint32Array(0);
  readonly #scores: Float64Array[] = [];
  #counts = new Uint8Array(0);

  /** Not cleared: the caller fills it. */
  list(number: number, length: number): Postings {
    const reused = this.#lists[number];
    if (reused !== undefined && reused.docs.length >= length) return reused;
    const fresh = { docs: new Uint32Array(length), titles: new Uint16Array(length), bodies: new Uint16Array(length) };
    if (number < REUSED_LISTS) this.#lists[number] = fresh;
    return fresh;
  }

  /** Not cleared. */
  docs(length: number): Uint32Array {
    if (this.#docs.length < length) this.#docs = new Uint32Array(length);
    return this.#docs;
  }

  /** All zero. */
  scores(number: number, length: number): Float64Array {
    let buffer = this.#scores[number];
    if (buffer === undefined || buffer.length < length) this.#scores[number] = buffer = new Float64Array(length);
    return buffer.subarray(0, length).fill(0);
  }

  /** All zero. */
  counts(length: number): Uint8Array {
    if (this.#counts.length < length) this.#counts = new Uint8Array(length);
    return this.#counts.subarray(0, length).fill(0);
  }
}
