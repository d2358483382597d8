// The machine's clock.
import type { Clock } from "../../ports/clock.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(unixMs, callback) {
    const wait = Math.min(Math.max(0, unixMs - Date.now()), LONGEST_TIMER_MS);
    const timer = setTimeout(callback, wait);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
