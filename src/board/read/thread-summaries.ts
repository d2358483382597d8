// Summaries of threads; read again only if something happened in them.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { MINUTE_MS, minuteOf } from "../../core/durations.ts";
import { flagIs, not, oneOf } from "../../core/query/condition.ts";
import type { ThreadNews } from "../../core/view/thread-summary.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { freshAnswer } from "./fresh-answer.ts";
import type { ReaderParts } from "./reader-parts.ts";
import { liveReads } from "./unpaged-live-messages.ts";

export type ReadThreadNews = (roots: readonly StoredMessage[]) => Promise<ReadonlyMap<string, ThreadNews>>;

const MAX_THREADS = 5000;

export function threadNewsReader({ messages, clock }: Pick<ReaderParts, "messages" | "clock">): ReadThreadNews {
  const cache = new BoundedCache<string, { readonly state: string; readonly news: ThreadNews }>(MAX_THREADS);
  return async (roots) => {
    const now = clock.now();
    // A lease ends by itself, so nothing is cached for longer than a page.
    const stateOf = ({ thread, state }: StoredMessage): string =>
      `${thread.messages} ${thread.lastActivity} ${state.changed} ${minuteOf(now)}`;
    const old = roots.filter((one) => cache.get(one.state.id)?.state !== stateOf(one));
    const states = new Map(old.map((one) => [one.state.id, stateOf(one)]));
    for (const news of await messages.threadNews([...states.keys()], now))
      cache.set(news.root, { state: states.get(news.root) ?? "", news });
    return new Map(
      roots.flatMap(({ state: { id } }) => {
        const found = cache.get(id)?.news;
        return found === undefined ? [] : [[id, found]];
      }),
    );
  };
}

export type CountThreads = (without: readonly string[], most: number) => Promise<number>;

/** Live roots of other kinds than these, counted up to `most`. */
export function threadCounter({ lists, clock }: Pick<ReaderParts, "lists" | "clock">): CountThreads {
  const cached = freshAnswer<number>(clock, MINUTE_MS);
  const conditions = (without: readonly string[]) => [flagIs("isRoot", true), not(oneOf("kind", without))];
  return async (without, most) => {
    const { seq } = await lists.head();
    return cached(`${seq} ${most} ${without.join(",")}`, (now) => liveReads(lists, now).count(conditions(without), most));
  };
}
