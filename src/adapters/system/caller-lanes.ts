// A queue for the database, or for a thread: a limited number of calls run at once, and waiting callers take turns.

export interface LaneLimits {
  /** How many calls may run at once. */
  readonly most: number;
  /** How many calls of one caller may run at once. */
  readonly each: number;
}

export class Lanes {
  readonly #limits: LaneLimits;
  /** Running calls of each caller. */
  readonly #running = new Map<string, number>();
  /** Waiting calls by caller; callers are in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #all = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Resolves when it is the caller's turn; every `enter` needs a `leave`. */
  enter(caller: string): Promise<void> | undefined {
    if (this.#fits(caller)) {
      this.#begin(caller);
      return undefined;
    }
    return new Promise((resolve) => {
      const own = this.#waiting.get(caller);
      if (own === undefined) this.#waiting.set(caller, [resolve]);
      else own.push(resolve);
    });
  }

  leave(caller: string): void {
    const rest = (this.#running.get(caller) ?? 1) - 1;
    if (rest === 0) this.#running.delete(caller);
    else this.#running.set(caller, rest);
    this.#all--;
    for (const [next, own] of this.#waiting) {
      if (this.#all >= this.#limits.most) return;
      if (!this.#fits(next)) continue;
      const go = own.shift();
      this.#waiting.delete(next);
      if (own.length > 0) this.#waiting.set(next, own);
      this.#begin(next);
      go?.();
      return;
    }
  }

  #fits(caller: string): boolean {
    return this.#all < this.#limits.most && (this.#running.get(caller) ?? 0) < this.#limits.each;
  }

  #begin(caller: string): void {
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
    this.#all++;
  }
}
