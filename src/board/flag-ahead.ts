// Flags of messages that nobody has read yet, found before a page is made of them: a hostile text takes long, and a page may be full of such.
import { hasFlags, messageFlags } from "../core/guard/flags.ts";
import type { Payload } from "../core/protocol/payload.ts";
import type { Card, Listed } from "../ports/store.ts";
import { sliced } from "../ports/share.ts";

/** Payloads that may be looked through in one go. */
const STEP_CHARS = 64 * 1024;

/** The same items, ready to be shown. */
export async function flagged<Item extends Listed>(items: readonly Item[]): Promise<readonly Item[]> {
  await flagAhead(cardsOf(items));
  return items;
}

/** The same without waiting; undefined where that would take long. */
export const flaggedAtHand = <Item extends Listed>(items: readonly Item[]): readonly Item[] | undefined =>
  isQuicklyFlagged(cardsOf(items)) ? items : undefined;

const cardsOf = (items: readonly Listed[]): Card[] => items.flatMap((item) => ("card" in item ? [item.card] : []));

export function flagAhead(cards: Iterable<Card>): Promise<void> {
  return sliced(cards, ({ standing, raw }) => {
    if (!hasFlags(standing.id)) messageFlags(standing.id, JSON.parse(raw.payload) as Payload);
  });
}

/** Whether so little is left to look through that it can be done in one go. */
export function isQuicklyFlagged(cards: readonly Card[]): boolean {
  let chars = 0;
  for (const { standing, raw } of cards) if (!hasFlags(standing.id)) chars += raw.payload.length;
  return chars < STEP_CHARS;
}
