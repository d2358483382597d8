// The sorts of a listing: which key, which way; ties break by seq in the same direction.

export const SORTS = ["new", "old", "activity", "expiring", "verified", "pow", "changed", "relevance"] as const;
export type Sort = (typeof SORTS)[number];

export type OrderKey = "seq" | "activity" | "expiresAt" | "verifies" | "bits" | "changed";

export interface Order {
  readonly key: OrderKey;
  readonly descending: boolean;
}

/** Relevance is ordered by the search index, not by a field of the message. */
export const ORDERS: Readonly<Record<Exclude<Sort, "relevance">, Order>> = {
  new: { key: "seq", descending: true },
  old: { key: "seq", descending: false },
  activity: { key: "activity", descending: true },
  expiring: { key: "expiresAt", descending: false },
  verified: { key: "verifies", descending: true },
  pow: { key: "bits", descending: true },
  // The order for `changed_after`: what changed last comes last.
  changed: { key: "changed", descending: false },
};

/** The position where a page ended: the sort key and the seq of its last message. */
export interface Position {
  readonly key: number;
  readonly seq: number;
}
