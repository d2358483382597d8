// Sends events to many readers, some at a time; messages that end in between are not sent to the remaining readers.
import { setImmediate as nextTurn } from "node:timers/promises";
import { Refusal } from "../../core/errors.ts";
import type { LiveEvent } from "./log-event.ts";

export interface Reader {
  /** Events in order of seq. All readers concerned get the same events, so that they are rendered once. */
  deliver(events: readonly LiveEvent[]): void;
  /** Ends the stream. The refusal, which is sent to the reader, says why. */
  end(refusal: Refusal): void;
}

/** Readers who get the same events. */
export interface Audience {
  readonly events: readonly LiveEvent[];
  /** The readers that are still connected. */
  readonly readers: ReadonlySet<Reader>;
  /** The readers that were connected when the events were matched. */
  readonly present: readonly Reader[];
}

/** Readers that are served before other work gets a turn. */
const READERS_AT_A_TIME = 500;

/**
 * `over` is called after each pause and returns the entries that must not be sent any more; the set only grows. `paused`: other work ran
 * just before this call, so `over` is called first.
 */
export async function fanOut(audiences: readonly Audience[], over: () => Promise<ReadonlySet<number>>, paused = false): Promise<void> {
  let ended: ReadonlySet<number> = new Set();
  // Readers who shared a list go on sharing one, so that its bytes are made once.
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
          // It is unknown what may still be sent, so these readers are disconnected. They reconnect at their position and lose nothing.
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
