// A sequence of numbers that is looked for in a longer one, by Knuth, Morris and Pratt: each number is looked at once or twice, however
// often the sequence repeats itself.

export class NumberSequence {
  readonly #wanted: readonly number[];
  /** For each beginning of the sequence: how many of its last numbers are its first ones too, if not all. */
  readonly #back: number[] = [0];

  constructor(wanted: readonly number[]) {
    this.#wanted = wanted;
    for (let at = 1, seen = 0; at < wanted.length; at++) this.#back.push((seen = this.after(seen, wanted[at]!)));
  }

  get length(): number {
    return this.#wanted.length;
  }

  /** How much of the sequence has been seen with this number, if so much of it had been seen before. All of it if that is its length. */
  after(before: number, number: number): number {
    let seen = before === this.#wanted.length ? this.#back[before - 1]! : before;
    while (seen > 0 && this.#wanted[seen] !== number) seen = this.#back[seen - 1]!;
    return this.#wanted[seen] === number ? seen + 1 : 0;
  }
}
