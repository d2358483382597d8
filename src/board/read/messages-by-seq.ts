// Messages chosen by seq, in steps: bodies are large, and other requests run in between.
import { atLeast } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import { type StoredMessage, storedOf, type ListReads } from "../../ports/store.ts";

export const MESSAGES_PER_READ = 50;

/** The live messages among these, by seq. */
export async function storedAt(
  store: Pick<ListReads, "list">,
  seqs: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, StoredMessage>> {
  const found = await store.list({ condition: atLeast("expiresAt", now + 1), order: ORDERS.old, limit: seqs.length, only: seqs });
  return new Map(storedOf(found).map((stored) => [stored.state.seq, stored]));
}
