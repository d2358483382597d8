// Messages chosen by seq, in steps: bodies are large, and other requests run in between.
import { atLeast } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { StoredMessage, ListReads } from "../../ports/store.ts";

export const MESSAGES_PER_READ = 50;

/** The live messages among these, by seq. */
export async function storedAt(
  store: Pick<ListReads, "list">,
  seqs: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, StoredMessage>> {
  const condition = atLeast("expiresAt", now + 1);
  const found = await store.list({ condition, order: ORDERS.old, after: undefined, limit: seqs.length, removed: false, only: seqs });
  return new Map(found.flatMap((one) => ("stored" in one ? [[one.stored.state.seq, one.stored]] : [])));
}
