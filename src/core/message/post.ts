// The last step of a post, inside the transaction: known, refused or entered.
import { Refusal } from "../errors.ts";
import { requireKey, requireRefs } from "./admission.ts";
import { arrive } from "./derive.ts";
import type { Arrival, Gone, Ledger, Standing } from "./standing.ts";

export interface Posted {
  readonly result: "created" | "exists";
  readonly standing: Standing;
}

/** Undefined where a message that arrives once has arrived before. */
export function postInto(ledger: Ledger, arrival: Arrival): Posted | undefined {
  const { once } = arrival;
  if (once !== undefined && ledger.hasArrived(once)) return undefined;
  const known = ledger.find(arrival.id);
  if (known !== undefined && known.expiresAt > ledger.now) return { result: "exists", standing: known };
  const gone = known === undefined ? ledger.gone(arrival.id) : { reason: known.withdrawn ? ("retracted" as const) : ("expired" as const) };
  if (gone !== undefined) throw knownGone(gone);
  requireKey(ledger, arrival);
  requireRefs(ledger, arrival);
  if (once !== undefined) ledger.noteArrival(once);
  return { result: "created", standing: arrive(ledger, arrival) };
}

/** Why a payload that was here and is gone cannot be posted again. */
export function knownGone({ reason }: Pick<Gone, "reason">): Refusal {
  return new Refusal(reason === "removed" ? "blocked_content" : reason);
}
