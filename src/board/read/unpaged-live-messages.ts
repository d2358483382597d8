// Live messages by conditions, for readers that do not page.
import { and, atLeast, type Condition, flagIs } from "../../core/query/condition.ts";
import { type Order, ORDERS } from "../../core/query/order.ts";
import { type ListQuery, type ListReads, type StoredMessage, storedOf } from "../../ports/store.ts";

export interface LiveReads {
  /** Messages that meet all conditions and are not superseded, at most `limit`. */
  read(conditions: readonly Condition[], order: Order, limit: number, only?: readonly number[]): Promise<readonly StoredMessage[]>;
  /** The number of such messages, counted up to `limit`. */
  count(conditions: readonly Condition[], limit: number): Promise<number>;
}

export function liveReads(lists: Pick<ListReads, "list" | "countUpTo">, now: number): LiveReads {
  const query = (conditions: readonly Condition[], order: Order, limit: number, only?: readonly number[]): ListQuery => ({
    condition: and(atLeast("expiresAt", now + 1), flagIs("superseded", false), ...conditions),
    order,
    limit,
    only,
  });
  return {
    read: async (conditions, order, limit, only) => storedOf(await lists.list(query(conditions, order, limit, only))),
    count: (conditions, limit) => lists.countUpTo(query(conditions, ORDERS.new, limit)),
  };
}
