// Cuts long work into short slices, so that a search never waits long for it.
import { setImmediate, setTimeout } from "node:timers/promises";

export interface Pace {
  /** Call between small steps; it waits when the slice is over. */
  step(): Promise<void> | undefined;
}

const SLICE_MS = 5;

/**
 * Pauses `idle` times as long as it works; with 0 it continues as soon as waiting searches were served. If `stop` is aborted, `step`
 * throws.
 */
export function pace(idle: number | (() => number), stop?: AbortSignal): Pace {
  let start = performance.now();
  return {
    step() {
      stop?.throwIfAborted();
      const worked = performance.now() - start;
      return worked < SLICE_MS ? undefined : rest(worked * (typeof idle === "number" ? idle : idle()));
    },
  };

  async function rest(ms: number): Promise<void> {
    await (ms < 1 ? setImmediate() : setTimeout(ms));
    start = performance.now();
  }
}
