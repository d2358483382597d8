// Most texts are ASCII. Their characters are read as bytes, which is several times faster than reading them from the string.

const UTF_8 = new TextEncoder();

export class AsciiReader {
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** The characters of an ASCII text, valid until the next text is read; undefined for other text. */
  read(text: string): Uint8Array<ArrayBuffer> | undefined {
    if (text.length > this.#bytes.length) this.#bytes = new Uint8Array(2 * text.length);
    const { read, written } = UTF_8.encodeInto(text, this.#bytes);
    // As many bytes as characters: each of them is ASCII.
    return read === text.length && written === read ? this.#bytes : undefined;
  }
}
