// Waits for what the board does of its own accord: for as long as it takes, unless it hangs.
import { setTimeout as pause } from "node:timers/promises";

/** Longer than a machine takes that does many other things beside, with stalls of seconds: who waits in vain so long waits for a hang. */
export const HANG_MS = 300_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** The first answer that is there; fails where none comes. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const begun = performance.now();
  // Soon at first, for most of it is there in a moment; then less often, so that asking does not keep it from coming.
  for (let ms = FIRST_PAUSE_MS, asked = 1; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS), asked++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waited = performance.now() - begun;
    if (waited > HANG_MS) throw new Error(`It never came: ${what}; asked ${asked} times in ${Math.round(waited / 1000)} s.`);
    await pause(ms);
  }
}
