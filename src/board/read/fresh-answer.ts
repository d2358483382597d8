// One answer that is kept for a while, however many callers ask.
import type { Clock } from "../../ports/clock.ts";

/** Calls `make` again only after this time, or if the question has changed. */
export function freshAnswer<Made>(clock: Clock, ms: number) {
  let last: { readonly at: number; readonly asked: string; readonly made: Made } | undefined;
  return async (asked: string, make: (now: number) => Promise<Made>): Promise<Made> => {
    const now = clock.now();
    if (last === undefined || last.asked !== asked || now < last.at || now - last.at >= ms)
      last = { at: now, asked, made: await make(now) };
    return last.made;
  };
}
