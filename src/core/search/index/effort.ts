// Counts the small steps of long work in the index, because looking at the clock takes longer than most of them.

/** Some tenths of a millisecond. */
const STEPS = 16_384;

export class Effort {
  #left = STEPS;

  spend(steps: number): void {
    this.#left -= steps;
  }

  /** Whether it is time to let other work run; if so, counting starts again. */
  isDue(): boolean {
    if (this.#left > 0) return false;
    this.#left = STEPS;
    return true;
  }
}
