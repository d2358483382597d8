// Computes the guard's flags of messages before a page is made of them: a hostile text takes long, and a page may be full of such texts.
import { textFlags } from "../../core/view/outline.ts";
import { type StoredMessage, storedOf, type Listed } from "../../ports/store.ts";
import { sliced } from "../../ports/cpu-slices.ts";

/** Size of payloads that may be scanned at once. */
const CHARS_AT_ONCE = 64 * 1024;

/** Computes the flags of the items, and returns the items. */
export async function flagged<Item extends Listed>(items: readonly Item[]): Promise<readonly Item[]> {
  await warmFlags(storedOf(items));
  return items;
}

/** Like `flagged`, but synchronous; undefined if that would take long. */
export function flaggedNow<Item extends Listed>(items: readonly Item[]): readonly Item[] | undefined {
  let chars = 0;
  for (const item of items) if ("stored" in item && item.stored.seen.flags === undefined) chars += item.stored.raw.payload.length;
  return chars < CHARS_AT_ONCE ? items : undefined;
}

export const warmFlags = (storedMessages: Iterable<StoredMessage>): Promise<void> =>
  sliced(storedMessages, (stored) => void textFlags(stored));
