// How many messages a store caches.
import type { Seen } from "../../core/guard/flags.ts";
import { BoundedCache, boundedTextCache } from "../../core/bounded-cache.ts";
import type { StoredMessage } from "../../ports/store.ts";

/** About 3 KB each; but a payload can be half a megabyte, so their total size is limited as well. */
export const MESSAGES_CACHED = 20_000;
const CHARS_KEPT = 32 * 1024 * 1024;

/** By seq. */
export const messageCache = <Kept extends Pick<StoredMessage, "raw">>(): BoundedCache<number, Kept> =>
  boundedTextCache(MESSAGES_CACHED, CHARS_KEPT, ({ raw }) => raw.payload.length);

const SEEN_KEPT = 50_000;

/** By id: the guard's findings outlive the cached message, which is dropped whenever something about the message changes. */
export type SeenOf = (id: string) => Seen;
export function flagsCache(): SeenOf {
  const kept = new BoundedCache<string, Seen>(SEEN_KEPT);
  return (id) => kept.of(id, () => ({}));
}
