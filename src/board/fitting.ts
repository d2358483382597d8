// How much one page holds: payloads may be half a megabyte each and a page is made in one piece, so their sum is bounded.
import { LIMITS } from "../core/protocol/limits.ts";
import type { Card, Listed } from "../ports/store.ts";
import { flagAhead, isQuicklyFlagged } from "./flag-ahead.ts";

export const charsOf = (item: Listed): number => ("card" in item ? item.card.raw.payload.length : 0);

/** The first of these that fit on a page, and one at least, ready to be shown; a cursor leads on to the rest. */
export async function fitting<Item extends Listed>(items: readonly Item[]): Promise<readonly Item[]> {
  const page = first(items);
  await flagAhead(cardsOf(page));
  return page;
}

/** The same without waiting; undefined where that would take long. */
export function fittingAtHand<Item extends Listed>(items: readonly Item[]): readonly Item[] | undefined {
  const page = first(items);
  return isQuicklyFlagged(cardsOf(page)) ? page : undefined;
}

/** One at least, however long it is: a page without any would lead its reader nowhere, or to itself. */
function first<Item extends Listed>(items: readonly Item[]): readonly Item[] {
  let chars = 0;
  const end = items.findIndex((item) => (chars += charsOf(item)) > LIMITS.page_chars);
  return end === -1 ? items : items.slice(0, Math.max(1, end));
}

const cardsOf = (items: readonly Listed[]): Card[] => items.flatMap((item) => ("card" in item ? [item.card] : []));
