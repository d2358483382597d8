// Long poll: an empty listing waits until something comes that belongs to it, or the time is over.
import type { Clock } from "../../ports/clock.ts";
import type { Page, Question } from "../read/list.ts";
import type { Feeds, StreamQuestion } from "./feed.ts";
import type { Hub } from "./hub.ts";

/** How long, until when at the latest, and what is known already. */
export interface Patience {
  readonly seconds: number;
  readonly closed: AbortSignal;
  /** The caller has seen the log up to here. */
  readonly after: number;
  /** What may make a difference; anything that happens where it is left out. */
  readonly wakes?: StreamQuestion;
}

/** Reads again and again, whenever something happened, until there is something or the time is over. */
export type WaitFor = <One extends Page>(read: () => Promise<One>, patience: Patience) => Promise<One>;

/**
 * A new message is heard of by its own entry. What changes is not: a vote or a claim is an entry about itself, so whoever follows changes
 * looks again whatever happens; there is little to look at.
 */
export const wokenBy = (question: Question): Partial<Pick<Patience, "wakes">> =>
  question.changed_after === undefined ? { wakes: question } : {};

export function waiter(hub: Hub, feeds: Pick<Feeds, "filterOf">, clock: Clock): WaitFor {
  return async (read, { seconds, closed, after, wakes = { filters: {} } }) => {
    const until = clock.now() + seconds * 1000;
    const filter = await feeds.filterOf(wakes);
    let over = closed.aborted;
    let moved = false;
    let wake = (): void => {};
    const end = (): void => {
      over = true;
      wake();
    };
    const hear = (): void => {
      moved = true;
      wake();
    };
    // Listening starts before the first look, so that nothing can come in between unheard.
    const detach = hub.attach(filter, { deliver: hear, end });
    const cancel = clock.at(until, end);
    closed.addEventListener("abort", end, { once: true });
    try {
      for (;;) {
        moved = false;
        // What is answered at the end was read at the end, not while the end came.
        const last = over;
        const page = await read();
        // Who is ahead of the board has met one that was set up anew, and need not wait to learn it.
        if (page.items.length > 0 || last || after > page.latestSeq) return page;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (moved || over) resolve();
        });
      }
    } finally {
      detach();
      cancel();
      closed.removeEventListener("abort", end);
    }
  };
}
