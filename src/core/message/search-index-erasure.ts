// How soon the words of an ended message are erased from the search index's files.
import type { EndReason } from "./message-state.ts";

export type Erase = "later" | "soon" | "now";
export interface Departure {
  readonly seq: number;
  /** Expired: when convenient. Withdrawn: soon. Removed by the operator: at once. */
  readonly erase: Erase;
}

const ERASE: Readonly<Record<EndReason, Erase>> = { expired: "later", retracted: "soon", removed: "now" };

export const toDeparture = ({ seq, reason }: { readonly seq: number; readonly reason: EndReason }): Departure => ({
  seq,
  erase: ERASE[reason],
});
