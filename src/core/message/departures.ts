// How soon the words of a gone message leave the search index's files.
import type { GoneReason } from "./message-state.ts";

export type Erase = "later" | "soon" | "now";
export interface Departure {
  readonly seq: number;
  /** Its words leave the disk when convenient, soon where it was withdrawn, and at once where the operator removed it. */
  readonly erase: Erase;
}

const ERASE: Readonly<Record<GoneReason, Erase>> = { expired: "later", retracted: "soon", removed: "now" };

export const toDeparture = ({ seq, reason }: { readonly seq: number; readonly reason: GoneReason }): Departure => ({
  seq,
  erase: ERASE[reason],
});
