// Whole numbers in as few bytes as they need (seven bits per byte), and a growing buffer for them.

const SHORT = 24;

export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
  }

  varint(value: number): void {
    this.#reserve(5);
    const bytes = this.#bytes;
    let rest = value;
    while (rest > 127) {
      bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.length++] = rest;
  }

  raw(source: Uint8Array, from = 0, to = source.length): void {
    this.#reserve(to - from);
    // Most are a few bytes long; making a view of them would take longer.
    if (to - from <= SHORT) for (let at = from, next = this.length; at < to; at++) this.#bytes[next++] = source[at]!;
    else this.#bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.length);
    this.length += to - from;
  }

  /** The bytes written so far; overwritten after clear(). */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + more));
    grown.set(this.view());
    this.#bytes = grown;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined || shift > 28) throw new RangeError("A number runs past its end.");
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
      shift += 7;
    }
  }
}
