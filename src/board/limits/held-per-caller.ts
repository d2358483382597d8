// What callers hold at the moment, such as connections: each by itself, and together with its wider network, which may hold more.
import { countedAs, countsNetwork, NETWORK_WIDTH } from "./callers.ts";

/** A caller that would hold too much. */
export interface Overheld {
  /** The holder, in words: the address, or its network. */
  readonly who: string;
  readonly held: number;
  readonly most: number;
}

export class Held {
  readonly #most: number;
  readonly #held = new Map<string, number>();

  /** `most`: the limit of one address. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined if the caller may hold this much more. */
  over(caller: string, more = 1): Overheld | undefined {
    for (const counted of countedAs(caller)) {
      const network = countsNetwork(counted);
      const held = this.#held.get(counted) ?? 0;
      const most = this.#most * (network ? NETWORK_WIDTH : 1);
      if (held + more > most) return { who: network ? "network (an IPv6 /48)" : "address", held, most };
    }
    return undefined;
  }

  /** Counts what the caller holds. The returned function releases it, once. */
  add(caller: string, more = 1): () => void {
    const names = countedAs(caller);
    const change = (by: number): void => {
      for (const counted of names) {
        const now = (this.#held.get(counted) ?? 0) + by;
        if (now <= 0) this.#held.delete(counted);
        else this.#held.set(counted, now);
      }
    };
    change(more);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      change(-more);
    };
  }
}
