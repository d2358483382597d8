// The last step of a post, inside the transaction: known already, refused or stored.
import { Refusal } from "../errors.ts";
import { countSigned, requireSigning } from "../keys/delegation.ts";
import type { Payload } from "../protocol/payload.ts";
import { type Warning, warning } from "../warnings.ts";
import { requireKey, requireRefs, requireUnblocked } from "./admission.ts";
import { arrive } from "./arrive.ts";
import type { Arrival, Tombstone, Ledger, MessageState } from "./message-state.ts";

export interface Posted {
  readonly result: "created" | "exists";
  readonly state: MessageState;
  readonly warnings: readonly Warning[];
}

export function postInto(ledger: Ledger, arrival: Arrival, dryRun = false): Posted {
  const known = ledger.find(arrival.id);
  if (known !== undefined && known.expiresAt > ledger.now) return { result: "exists", state: known, warnings: [] };
  const tombstone =
    known === undefined ? ledger.tombstone(arrival.id) : { reason: known.withdrawn ? ("retracted" as const) : ("expired" as const) };
  if (tombstone !== undefined && !isRestored(tombstone)) throw endedRefusal(tombstone);
  requireUnblocked(ledger, arrival);
  requireKey(ledger, arrival);
  requireSigning(ledger, arrival.author, { message: arrival.payload });
  const warnings = [
    ...(saysNothing(arrival.payload) ? [warning("empty")] : []),
    ...requireRefs(ledger, arrival),
    ...(leasesNothing(arrival.payload) ? [warning("lease_without_claim")] : []),
  ];
  if (tombstone !== undefined) ledger.dropTombstone(arrival.id);
  countSigned(ledger, arrival.author);
  return { result: "created", state: arrive(ledger, arrival, { dryRun }), warnings };
}

const saysNothing = ({ title = "", body = "", data }: Payload): boolean => title === "" && body === "" && data === undefined;

const leasesNothing = ({ lease, refs = [] }: Payload): boolean => lease !== undefined && !refs.some(({ rel }) => rel === "claims");

/** Why the payload of an ended message cannot be posted again. */
export function endedRefusal({ reason, statement = null }: Pick<Tombstone, "reason"> & Partial<Tombstone>): Refusal {
  if (reason !== "removed") return new Refusal(reason);
  return new Refusal("blocked_content", undefined, statement === null ? {} : { details: { statement: JSON.parse(statement) as unknown } });
}

const isRestored = (tombstone: Partial<Tombstone>): boolean => tombstone.restored === true;
