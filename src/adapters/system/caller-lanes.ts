// A queue for the database, or for a thread: a limited number of calls run at once, and waiting callers take turns.

export interface LaneLimits {
  /** How many calls may run at once. */
  readonly most: number;
  /** How many calls of one caller may run at once. */
  readonly each: number;
  /** If given, callers of the last moments share this many calls equally; each of them always has one. */
  readonly shared?: number;
}

const MOMENT_MS = 1000;
/** Work of the board itself is for everybody. */
const BOARD = "";

export class Lanes {
  readonly #limits: LaneLimits;
  /** Running calls of each caller. */
  readonly #running = new Map<string, number>();
  /** Waiting calls by caller; callers are in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #all = 0;
  /** The callers of the present moment, when it ends, and how many callers the moment before had. */
  readonly #present = new Set<string>();
  #endsAt = 0;
  #before = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Resolves when it is the caller's turn; every `enter` needs a `leave`. */
  enter(caller: string): Promise<void> | undefined {
    this.#see(caller);
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
    return this.#all < this.#limits.most && (this.#running.get(caller) ?? 0) < this.#mostOf(caller);
  }

  #mostOf(caller: string): number {
    const { each, shared } = this.#limits;
    if (shared === undefined || caller === BOARD) return each;
    return Math.min(each, Math.max(1, Math.floor(shared / Math.max(1, this.#before, this.#present.size))));
  }

  #see(caller: string): void {
    if (this.#limits.shared === undefined || caller === BOARD) return;
    const now = performance.now();
    if (now >= this.#endsAt) {
      this.#before = now < this.#endsAt + MOMENT_MS ? this.#present.size : 0;
      this.#present.clear();
      this.#endsAt = now + MOMENT_MS;
    }
    this.#present.add(caller);
  }

  #begin(caller: string): void {
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
    this.#all++;
  }
}
