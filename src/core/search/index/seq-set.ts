// A set of seqs, as one bit for each number from the least to the greatest.

export class SeqSet {
  readonly #first: number;
  readonly #bits: Uint8Array;

  /** From ascending numbers. */
  constructor(seqs: Uint32Array) {
    this.#first = seqs[0] ?? 0;
    this.#bits = new Uint8Array(seqs.length === 0 ? 0 : (((seqs.at(-1) ?? 0) - this.#first) >>> 3) + 1);
    for (const seq of seqs) this.#bits[(seq - this.#first) >>> 3]! |= 1 << ((seq - this.#first) & 7);
  }

  has(seq: number): boolean {
    const at = seq - this.#first;
    return at >= 0 && ((this.#bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }
}
