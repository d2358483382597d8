// Flags of messages that nobody has read yet, found before a page is made of them: a hostile text takes long, and a page may be full of such.
import { seenFlags } from "../../core/guard/flags.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { StoredMessage, Listed } from "../../ports/store.ts";
import { sliced } from "../../ports/share.ts";

/** Payloads that may be looked through in one go. */
const STEP_CHARS = 64 * 1024;

/** The same items, ready to be shown. */
export async function flagged<Item extends Listed>(items: readonly Item[]): Promise<readonly Item[]> {
  await flagAhead(cardsOf(items));
  return items;
}

/** The same without waiting; undefined where that would take long. */
export function flaggedAtHand<Item extends Listed>(items: readonly Item[]): readonly Item[] | undefined {
  const chars = cardsOf(items).reduce((sum, { seen, raw }) => sum + (seen.flags === undefined ? raw.payload.length : 0), 0);
  return chars < STEP_CHARS ? items : undefined;
}

const cardsOf = (items: readonly Listed[]): StoredMessage[] => items.flatMap((item) => ("card" in item ? [item.card] : []));

export const flagAhead = (cards: Iterable<StoredMessage>): Promise<void> =>
  sliced(cards, ({ seen, raw }) => void seenFlags(seen, () => JSON.parse(raw.payload) as Payload));
