// How many messages a store caches.
import { BoundedCache, boundedTextCache } from "../../core/bounded-cache.ts";
import type { Outline, Seen } from "../../core/view/outline.ts";
import type { StoredMessage } from "../../ports/store.ts";

/** About 3 KB each; but a payload can be half a megabyte, so their total size is limited as well. */
export const MESSAGES_CACHED = 20_000;
const MAX_CHARS = 32 * 1024 * 1024;

/** By seq, or by id. */
export const messageCache = <Key, Cached extends Pick<StoredMessage, "raw">>(): BoundedCache<Key, Cached> =>
  boundedTextCache(MESSAGES_CACHED, MAX_CHARS, ({ raw }) => raw.payload.length);

const MAX_SEEN = 50_000;
/** Of long messages, 2 to 10 KB each. */
const MAX_OUTLINES = 2000;

/** By id: what was found out about a text outlives the cached message, which is dropped whenever something about the message changes. */
export type SeenOf = (id: string) => Seen;
export function seenCache(): SeenOf {
  const cache = new BoundedCache<string, Seen>(MAX_SEEN);
  const outlines = new BoundedCache<string, Outline>(MAX_OUTLINES);
  return (id) => cache.of(id, () => ({ outlines }));
}
