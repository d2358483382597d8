// Runs a batch by the rules: first requests the rows that it certainly needs, then performs each act. A refused act is undone without
// affecting the others.
import { type Act, arrivalsOf, isDryRun, isRefused, type Outcome } from "../../../core/message/acts-and-outcomes.ts";
import type { Arrival } from "../../../core/message/message-state.ts";
import { perform, refusalOf } from "../../../core/message/perform.ts";
import { sweep } from "../../../core/message/sweep.ts";
import type { BatchLedger } from "./in-memory-ledger.ts";

const SWEEP_FIRST: Act<"sweep"> = { type: "sweep" };

/** Requests the rows that each act certainly needs, so that most of them are fetched together. */
export function anticipate(ledger: BatchLedger, acts: readonly Act[]): void {
  sweep(ledger);
  for (const act of acts) {
    if (act.type === "alias") {
      ledger.alias(act.payload.alias);
      ledger.liveAliases(act.agent);
    }
    if (act.type === "key") {
      const { signer, payload, id } = act.op;
      ledger.keyOp(id);
      for (const agent of [signer, payload.agent]) {
        ledger.key(agent);
        ledger.line(agent);
        ledger.liveAliases(agent);
      }
    }
    if (act.type === "ack") {
      ledger.ack(act.id);
      ledger.keyOf(act.agent);
      const { acted = [], declined = [] } = act.payload;
      for (const id of [...acted, ...declined.map((one) => one.id)]) ledger.find(id);
    }
    if (act.type === "mail" && act.arrival.once !== undefined) ledger.hasArrived(act.arrival.once);
    for (const arrival of arrivalsOf(act)) {
      anticipateOne(ledger, arrival);
      if (!isDryRun(act)) ledger.repliesTo(arrival.id);
    }
  }
}

function anticipateOne(ledger: BatchLedger, { id, author, payload, blobs }: Arrival): void {
  ledger.moderation.isBlocked("key", author);
  for (const { sha256 } of payload.attachments ?? []) {
    ledger.moderation.isBlocked("blob", sha256);
    if (!Object.hasOwn(blobs, sha256)) ledger.hasBlob(sha256);
  }
  ledger.keyOf(author);
  ledger.key(author);
  ledger.threadFacts(id);
  for (const one of [id, ...(payload.refs ?? []).map((ref) => ref.id)]) {
    ledger.find(one);
    ledger.tombstone(one);
  }
}

/** `isFatal`: an error that is not the fault of one act; then no act of the batch may be answered. */
export function workOut<One extends Act>(
  ledger: BatchLedger,
  acts: readonly One[],
  isFatal: (error: unknown) => boolean = () => false,
): readonly Outcome<One>[] {
  // Acts are checked against the board as it is now, not as of the last sweep.
  if (acts[0]?.type !== "sweep") {
    const swept = guarded(ledger, SWEEP_FIRST, isFatal);
    if (isRefused(swept) && ledger.set.isKnown) throw new Error(swept.refused.message);
  }
  const outcomes = acts.map((act) => guarded(ledger, act, isFatal));
  ledger.finishAdopting();
  ledger.goOnWithdrawing();
  return outcomes;
}

function guarded<One extends Act>(ledger: BatchLedger, act: One, isFatal: (error: unknown) => boolean): Outcome<One> {
  const before = ledger.mark();
  try {
    const outcome = perform(ledger, act);
    if (isDryRun(act)) ledger.backTo(before);
    return outcome;
  } catch (error) {
    if (isFatal(error)) throw error;
    ledger.backTo(before);
    return { refused: refusalOf(error) };
  }
}
