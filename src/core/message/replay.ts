// Replays the history of a board from its log: the same rules on the same messages must give the same facts.
import type { Entry } from "../log/chain.ts";
import { ackDraftOf } from "../protocol/ack.ts";
import type { Payload } from "../protocol/payload.ts";
import type { OperationEnvelope } from "../protocol/signed-operation.ts";
import { type Ack, acknowledgeAgain } from "./ack-rules.ts";
import { arrive, type ThreadPlace } from "./arrive.ts";
import { NOTHING } from "../guard/risk-and-copies.ts";
import { isKeyOperation } from "../keys/replay-key-operations.ts";
import { replayKey, applyAllDue } from "./key-acts.ts";
import { leave, supersede } from "./leave.ts";
import { endLeases } from "./sweep.ts";
import { type Arrival, END_REASONS, type Ledger, type Tombstone } from "./message-state.ts";
import type { Trace } from "./trace.ts";

/** An entry, with its message: the content, or the tombstone. */
export interface ReplayedEntry {
  readonly entry: Entry;
  readonly arrival: Arrival | undefined;
  readonly tombstone: Tombstone | undefined;
  /** Given if a message that this one joins has been forgotten since, so that the rules can no longer find the place. */
  readonly place?: ThreadPlace;
}

/**
 * Applies one entry to a ledger whose `log` returns that entry's seq and whose `now` is its time. Facts that the rules derive, such as a
 * new status, are not copied: whether they turn out the same is what the check is for.
 */
export function replay(ledger: Ledger, { entry, arrival, tombstone, place }: ReplayedEntry): void {
  applyAllDue(ledger);
  while (endLeases(ledger));
  const { type, id, detail } = entry;
  const reason = END_REASONS[type];
  const state = ledger.find(id);
  if (type === "create") {
    if (state !== undefined) return;
    // A message that was removed, restored and posted again.
    ledger.dropTombstone(id);
    if (arrival !== undefined) arrive(ledger, arrival, place);
    else if (tombstone !== undefined) arrive(ledger, remains(tombstone), { root: tombstone.root });
  } else if (reason !== undefined) {
    if (state !== undefined) leave(ledger, state, reason, detail);
  } else if (type === "ack") {
    const ack = ackIn(entry);
    if (ack !== undefined) acknowledgeAgain(ledger, ack);
  } else if (type === "alias_claim" && detail !== null) {
    ledger.seeAgent((JSON.parse(detail) as { agent: string }).agent, "");
  } else if (isKeyOperation(type) && detail !== null) {
    replayKey(ledger, detail);
  } else if (type === "supersede" && state !== undefined && state.supersededBy === null) {
    supersede(ledger, state, (JSON.parse(detail ?? "{}") as { by: string }).by);
  }
}

/** The acknowledgement in an entry; undefined if its text was erased. Throws if the text is not an acknowledgement. */
export function ackIn({ detail }: Pick<Entry, "detail">): (Ack & { readonly envelope: OperationEnvelope }) | undefined {
  if (detail === null) return undefined;
  const draft = ackDraftOf(JSON.parse(detail) as OperationEnvelope);
  return { ...draft, detail };
}

/** An arrival made from a tombstone. It has the effects that the message had on others while it was live. */
function remains({ id, author, kind, receivedAt, reason, trace }: Tombstone): Arrival {
  const parsed = trace === null ? undefined : (JSON.parse(trace) as Trace);
  // A withdrawn message had time left; its entry ends it.
  const life = reason === "expired" ? Math.ceil(((parsed?.expiresAt ?? 0) - receivedAt) / 1000) : 0;
  const payload: Payload = {
    v: 1,
    pk: "",
    ts: 0,
    kind,
    refs: [...(parsed?.refs ?? [])],
    ...(life > 0 ? { ttl: life } : {}),
  };
  return {
    id,
    author,
    payload,
    raw: { payload: JSON.stringify(payload), sig: "", nonce: "" },
    bits: 0,
    assisted: false,
    blobs: {},
    noticed: NOTHING,
  };
}
