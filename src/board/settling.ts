// The store as readers see it: what is due has ended before they read, so that statuses and counts are those of the moment.
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { ReadersStore, Sweeper } from "./sweep.ts";
import { unswept } from "./unswept.ts";

/** A board that may write ends what is due and reads then. One that may not has no sweeper, and tells what it reads as it is at the moment. */
export function readersStore(store: Store, clock: Clock, sweeper: Pick<Sweeper, "isSettled" | "settle"> | undefined): ReadersStore {
  if (sweeper === undefined) return unswept(store, clock) as ReadersStore;
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const read = (...asked: unknown[]): unknown => Reflect.apply(value, target, asked);
      // Most of the time nothing is due, and nobody waits.
      return (...asked: unknown[]): unknown => (sweeper.isSettled() ? read(...asked) : sweeper.settle().then(() => read(...asked)));
    },
  }) as ReadersStore;
}
