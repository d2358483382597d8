// The streams and long polls that callers have open at the same time.
import { Refusal } from "../../core/errors.ts";
import { countedAs, countsNetwork, NETWORK_WIDTH } from "./callers.ts";

export class OpenCalls {
  readonly #atOnce: number;
  readonly #open = new Map<string, number>();

  /** `atOnce`: of one address. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Counts one more call of a caller; the returned function ends it. */
  enter(caller: string): () => void {
    const names = countedAs(caller);
    for (const counted of names) {
      const open = this.#open.get(counted) ?? 0;
      const atOnce = this.#atOnce * (countsNetwork(counted) ? NETWORK_WIDTH : 1);
      if (open < atOnce) continue;
      const who = countsNetwork(counted) ? "network (an IPv6 /48)" : "address";
      throw new Refusal("too_many_streams", `This ${who} has ${open} streams and long polls open; ${atOnce} are allowed.`, {
        details: { at_once: atOnce },
      });
    }
    for (const counted of names) this.#open.set(counted, (this.#open.get(counted) ?? 0) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      for (const counted of names) {
        const rest = (this.#open.get(counted) ?? 1) - 1;
        if (rest <= 0) this.#open.delete(counted);
        else this.#open.set(counted, rest);
      }
    };
  }
}
