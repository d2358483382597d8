// How many messages a store keeps in memory after their first reading.
import type { Seen } from "../../core/guard/flags.ts";
import { BoundedCache, boundedTextCache } from "../../core/bounded-cache.ts";
import type { StoredMessage } from "../../ports/store.ts";

/** About 3 KB each; but a payload can be half a megabyte, so their sum is bounded as well. */
export const CARDS_KEPT = 20_000;
const CHARS_KEPT = 32 * 1024 * 1024;

/** By seq. */
export const cardMemory = <Kept extends Pick<StoredMessage, "raw">>(): BoundedCache<number, Kept> =>
  boundedTextCache(CARDS_KEPT, CHARS_KEPT, ({ raw }) => raw.payload.length);

const SEEN_KEPT = 50_000;

/** By id: what was seen in the text of a message outlives its card, which goes whenever something about the message moves. */
export type SeenOf = (id: string) => Seen;
export function seenMemory(): SeenOf {
  const kept = new BoundedCache<string, Seen>(SEEN_KEPT);
  return (id) => kept.of(id, () => ({}));
}
