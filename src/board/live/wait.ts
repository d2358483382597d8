// Long poll: an empty listing waits until something matches, or the time is over.
import { isMetLater } from "../../core/query/filters.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Page, Question } from "../read/list.ts";
import type { Feeds, StreamQuestion } from "./subscriber-stream.ts";
import { eitherOf } from "./filter.ts";
import type { Hub } from "./hub.ts";

/** How long to wait, the deadline, and what the caller has. */
export interface WaitLimits {
  readonly seconds: number;
  readonly closed: AbortSignal;
  /** The caller has seen the log up to here. */
  readonly after: number;
  /** Events that may change the result, by any of these filters (only one if it is a text filter); any entry of the log if left out. */
  readonly wakes?: readonly StreamQuestion[];
}

/** Reads again after each event, until there is a result or the time is over. */
export type WaitFor = <One extends Page & { readonly againAt?: number | undefined }>(
  /** `againAt`: when to read again even if no event comes. */
  read: () => Promise<One>,
  patience: WaitLimits,
) => Promise<One>;

/**
 * A new message has its own entry, which the filters can match. A changed message has none: the entry of a vote or a claim is about the
 * vote or the claim. So a caller that follows changes, or asks for what may come to match, reads again after every entry; there is little
 * to read.
 */
export const wokenBy = (question: Question): Partial<Pick<WaitLimits, "wakes">> =>
  question.changed_after === undefined && !isMetLater(question.filters) ? { wakes: [question] } : {};

export function waiter(hub: Hub, feeds: Pick<Feeds, "filterOf">, clock: Clock): WaitFor {
  return async (read, { seconds, closed, after, wakes }) => {
    const until = clock.now() + seconds * 1000;
    const filter = eitherOf(await Promise.all((wakes ?? [{ filters: {} }]).map((one) => feeds.filterOf(one))));
    let over = closed.aborted;
    let moved = false;
    let wake = (): void => {};
    const end = (): void => {
      over = true;
      wake();
    };
    const onEvent = (): void => {
      moved = true;
      wake();
    };
    // Listening starts before the first read, so that nothing can be missed in between.
    const detach = hub.attach(filter, { deliver: onEvent, end });
    // Some entries make no event and change a message: the rotation of a key passes its leases on.
    const unfollow = wakes === undefined ? hub.onMove(onEvent) : () => {};
    const cancel = clock.at(until, end);
    closed.addEventListener("abort", end, { once: true });
    try {
      for (;;) {
        moved = false;
        // Taken before the read: the last answer must be read after the time is over.
        const last = over;
        const page = await read();
        // A caller that is ahead of the board has read from a board that was reset since; it is answered at once.
        if (page.items.length > 0 || last || after > page.latestSeq) return page;
        const ring = page.againAt === undefined ? () => {} : clock.at(page.againAt, onEvent);
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (moved || over) resolve();
        });
        ring();
      }
    } finally {
      detach();
      unfollow();
      cancel();
      closed.removeEventListener("abort", end);
    }
  };
}
