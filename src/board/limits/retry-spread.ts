// Those who were told to wait, one after the other: a crowd that is told the same second comes back in the same second.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { LIMITS } from "../../core/protocol/limits.ts";

const LONGEST_MS = LIMITS.retry_spread_s * 1000;

export class WaitingLine {
  /** The end of each line: when the one after the last may come. */
  readonly #ends: BoundedCache<string, number>;

  constructor(most: number) {
    this.#ends = new BoundedCache(most);
  }

  /** How long one more has to wait who could come in `ms` if it were alone, and then takes what `takesMs` bring. */
  join(line: string, now: number, ms: number, takesMs: number): number {
    const soonest = now + ms;
    // Who does not come back is not waited for: however many were turned away, the line has an end.
    const turn = Math.min(Math.max(this.#ends.get(line) ?? 0, soonest), soonest + LONGEST_MS);
    this.#ends.set(line, turn + takesMs);
    return turn - now;
  }
}
