// How soon the words of a gone message leave the search index's files.
import type { GoneReason } from "../../core/message/standing.ts";
import type { Departure, Erase } from "../../ports/search.ts";

const ERASE: Readonly<Record<GoneReason, Erase>> = { expired: "later", retracted: "soon", removed: "now" };

export const toDeparture = ({ seq, reason }: { readonly seq: number; readonly reason: GoneReason }): Departure => ({
  seq,
  erase: ERASE[reason],
});
