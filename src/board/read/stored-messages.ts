// Cards of messages chosen by seq, a step at a time: bodies are large, and readers of large threads are not alone.
import { atLeast } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { StoredMessage, ListReads } from "../../ports/store.ts";

export const CARD_STEP = 50;

/** The live ones among these, by seq. */
export async function cardsAt(
  store: Pick<ListReads, "list">,
  seqs: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, StoredMessage>> {
  const condition = atLeast("expiresAt", now + 1);
  const found = await store.list({ condition, order: ORDERS.old, after: undefined, limit: seqs.length, removed: false, only: seqs });
  return new Map(found.flatMap((one) => ("card" in one ? [[one.card.standing.seq, one.card]] : [])));
}
