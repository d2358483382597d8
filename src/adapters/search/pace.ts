// Long work in short slices, so that a search never waits long behind it.
import { setImmediate, setTimeout } from "node:timers/promises";

export interface Pace {
  /** To be called between small steps; waits when the slice is over. */
  step(): Promise<void> | undefined;
}

const SLICE_MS = 5;

/** Rests `idle` times as long as it works; 0 goes on as soon as whoever waits has been served. Work that is to stop ends in a throw. */
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
