// Waits for what the board does of its own accord.
import { setTimeout as pause } from "node:timers/promises";

const TRIES = 2000;
const PAUSE_MS = 5;

/** The first answer that is there; fails where none comes. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < TRIES; i++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(PAUSE_MS);
  }
  throw new Error(`It never came: ${what}.`);
}
