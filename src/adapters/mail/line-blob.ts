// Node's Blob takes seconds to put a mail of many lines back together; in the reading thread this one stands in for it.

class LineBlob {
  readonly #bytes: Buffer;
  constructor(parts: readonly (Uint8Array | ArrayBuffer | string)[] = []) {
    this.#bytes = Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : Buffer.from(part as string))));
  }
  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  }
}

/** For a thread that does nothing but read mail; the MIME parser joins the lines of each part through the global Blob. */
export function useLineBlob(): void {
  Object.assign(globalThis, { Blob: LineBlob });
}
