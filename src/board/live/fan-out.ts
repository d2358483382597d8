// Tells a crowd, so many readers at a time; what ends in between is not told to those who come after it.
import { Refusal } from "../../core/errors.ts";
import { nextTurn } from "../read/yield.ts";
import type { LiveEvent } from "./log-event.ts";

export interface Reader {
  /** Events in order of seq. The same events go to every reader they concern, so that they are rendered once. */
  deliver(events: readonly LiveEvent[]): void;
  /** No more will come; why is told to the reader. */
  end(refusal: Refusal): void;
}

/** Readers who hear the same. */
export interface Audience {
  readonly events: readonly LiveEvent[];
  /** Those of the ones present who have not left since. */
  readonly readers: ReadonlySet<Reader>;
  readonly present: readonly Reader[];
}

/** Readers that are told in one go before everybody else has a turn. */
const READERS_AT_A_TIME = 500;

/** `over` says after each pause which entries are not to be told any more; never fewer than before. `paused`: there was one just before. */
export async function fanOut(audiences: readonly Audience[], over: () => Promise<ReadonlySet<number>>, paused = false): Promise<void> {
  let ended: ReadonlySet<number> = new Set();
  // Who shared a list goes on sharing one, so that its bytes are made once.
  let shorter = new Map<readonly LiveEvent[], readonly LiveEvent[]>();
  let count = paused ? READERS_AT_A_TIME - 1 : 0;
  for (const [a, { events, readers, present }] of audiences.entries()) {
    for (const [r, reader] of present.entries()) {
      if (++count % READERS_AT_A_TIME === 0) {
        await nextTurn();
        try {
          const now = await over();
          if (now.size > ended.size) [ended, shorter] = [now, new Map()];
        } catch (error) {
          // Nobody knows what may still be told: they come back to where they were, and lose nothing.
          cutOff([{ events, readers, present: present.slice(r) }, ...audiences.slice(a + 1)]);
          throw error;
        }
      }
      if (!readers.has(reader)) continue;
      let left = ended.size === 0 ? events : shorter.get(events);
      if (left === undefined) shorter.set(events, (left = events.filter(({ seq }) => !ended.has(seq))));
      if (left.length > 0) reader.deliver(left);
    }
  }
}

function cutOff(audiences: readonly Audience[]): void {
  for (const { readers, present } of audiences) {
    for (const reader of present) if (readers.has(reader)) reader.end(new Refusal("storage_unavailable"));
  }
}
