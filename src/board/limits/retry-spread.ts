// Spreads waiting callers: with the same `Retry-After`, all of them would come back in the same second.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { LIMITS } from "../../core/protocol/limits.ts";

const LONGEST_MS = LIMITS.retry_spread_s * 1000;

export class WaitingLine {
  /** The end of each queue: the time at which the next caller may come. */
  readonly #ends: BoundedCache<string, number>;

  constructor(most: number) {
    this.#ends = new BoundedCache(most);
  }

  /** How long one more caller has to wait. Alone, it could come in `ms`; it then takes `takesMs` of the bucket's time. */
  join(line: string, now: number, ms: number, takesMs: number): number {
    const soonest = now + ms;
    // Not all callers come back, so the queue is bounded, however many were refused.
    const turn = Math.min(Math.max(this.#ends.get(line) ?? 0, soonest), soonest + LONGEST_MS);
    this.#ends.set(line, turn + takesMs);
    return turn - now;
  }
}
