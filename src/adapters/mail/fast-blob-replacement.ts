// Replaces Node's Blob in the reading thread, because Node's takes seconds to join a mail of many lines.

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

/** For a thread that only reads mail: the MIME parser joins the lines of each part with the global Blob. */
export function useLineBlob(): void {
  Object.assign(globalThis, { Blob: LineBlob });
}
