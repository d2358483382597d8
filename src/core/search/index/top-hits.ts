// The best few of many hits, in the order of every ranked list: score, then the newer message.

export interface Hit {
  readonly seq: number;
  readonly score: number;
}

/** Whether the first hit ranks before the second. */
export const precedes = (score: number, seq: number, thanScore: number, thanSeq: number): boolean =>
  score > thanScore || (score === thanScore && seq > thanSeq);

/** Keeps the first `limit` hits after a given position, in a heap with the worst at its root. */
export class Best {
  readonly #limit: number;
  readonly #after: Hit | undefined;
  readonly #scores: Float64Array;
  readonly #seqs: Float64Array;
  #count = 0;

  constructor(limit: number, after: Hit | undefined) {
    this.#limit = limit;
    this.#after = after;
    this.#scores = new Float64Array(limit);
    this.#seqs = new Float64Array(limit);
  }

  /** A hit with a lower score cannot be among the best any more. */
  get least(): number {
    return this.#count < this.#limit ? -Infinity : this.#limit === 0 ? Infinity : this.#scores[0]!;
  }

  offer(seq: number, score: number): void {
    const after = this.#after;
    if (after !== undefined && !precedes(after.score, after.seq, score, seq)) return;
    if (this.#count < this.#limit) this.#rise(this.#count++, seq, score);
    else if (this.#limit > 0 && precedes(score, seq, this.#scores[0]!, this.#seqs[0]!)) this.#sink(seq, score);
  }

  /** Best first. */
  hits(): Hit[] {
    const hits: Hit[] = [];
    for (let i = 0; i < this.#count; i++) hits.push({ seq: this.#seqs[i]!, score: this.#scores[i]! });
    return hits.sort((a, b) => b.score - a.score || b.seq - a.seq);
  }

  #rise(from: number, seq: number, score: number): void {
    let at = from;
    while (at > 0) {
      const up = (at - 1) >>> 1;
      if (!precedes(this.#scores[up]!, this.#seqs[up]!, score, seq)) break;
      this.#move(up, at);
      at = up;
    }
    this.#scores[at] = score;
    this.#seqs[at] = seq;
  }

  #sink(seq: number, score: number): void {
    let at = 0;
    for (;;) {
      let down = at * 2 + 1;
      if (down >= this.#count) break;
      const right = down + 1;
      if (right < this.#count && precedes(this.#scores[down]!, this.#seqs[down]!, this.#scores[right]!, this.#seqs[right]!)) down = right;
      if (!precedes(score, seq, this.#scores[down]!, this.#seqs[down]!)) break;
      this.#move(down, at);
      at = down;
    }
    this.#scores[at] = score;
    this.#seqs[at] = seq;
  }

  #move(from: number, to: number): void {
    this.#scores[to] = this.#scores[from]!;
    this.#seqs[to] = this.#seqs[from]!;
  }
}
