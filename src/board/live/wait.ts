// Long poll: an empty listing waits until something comes that belongs to it, or the time is over.
import type { Clock } from "../../ports/clock.ts";
import type { List, Page, Question } from "../list.ts";
import type { Feeds } from "./feed.ts";
import type { Hub } from "./hub.ts";

export type WaitFor = (question: Question, seconds: number, closed: AbortSignal) => Promise<Page>;

export function waiter(list: List, hub: Hub, feeds: Pick<Feeds, "filterOf">, clock: Clock): WaitFor {
  return async (question, seconds, closed) => {
    const until = clock.now() + seconds * 1000;
    const filter = await feeds.filterOf(question);
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
        const page = await list(question);
        // Who is ahead of the board has met one that was set up anew, and need not wait to learn it.
        const isAhead = (question.after_seq ?? 0) > page.latestSeq;
        if (page.items.length > 0 || last || isAhead) return page;
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
