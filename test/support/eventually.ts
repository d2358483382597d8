// Waits for something that the board does by itself, for as long as it takes, unless the board hangs.
import { setTimeout as pause } from "node:timers/promises";

/** Longer than a very busy machine needs, with pauses of seconds: after this time, the board must be hanging. */
export const HANG_MS = 300_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** The first result that is not undefined; fails if there is none within HANG_MS. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const begun = performance.now();
  // Asks often at first, because most results come in a moment; then less often, so that asking does not delay the result.
  for (let ms = FIRST_PAUSE_MS, asked = 1; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS), asked++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waited = performance.now() - begun;
    if (waited > HANG_MS) throw new Error(`It never came: ${what}; asked ${asked} times in ${Math.round(waited / 1000)} s.`);
    await pause(ms);
  }
}
