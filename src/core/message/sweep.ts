// Ends lifetimes, leases, aliases and the waiting time of key operations, in bounded steps.
import { sweepAliases } from "./alias-rules.ts";
import { release } from "./effects.ts";
import { applyAllDue } from "./key-acts.ts";
import { leave } from "./leave.ts";
import { type Ledger, type MessageState, VOTES_TAKEN_BACK } from "./message-state.ts";

/** How much one step of the sweep does, so that posts never wait long for it: with two steps per transaction, about ten milliseconds. */
const ENDS_PER_SWEEP = 48;
/** To end a label or a reference takes this share of the time that the rest of its message takes. */
const PART = 1 / 5;
/** How many messages one transaction ends for authors who withdrew everything; ending is less work than erasing. */
export const WITHDRAWN_PER_BATCH = 1024;

/** Ends lifetimes and leases that are due. Returns whether there may be more. */
export function sweep(ledger: Ledger): boolean {
  // First of all: pending key operations take effect before anything else of their time.
  applyAllDue(ledger);
  const due = ledger.due(ENDS_PER_SWEEP);
  let [ended, votes, work] = [0, 0, 0];
  for (const { id } of due) {
    if (votes >= VOTES_TAKEN_BACK || work >= ENDS_PER_SWEEP) break;
    ended++;
    // Read again: messages that just ended may have changed it.
    const state = ledger.find(id);
    if (state === undefined) continue;
    votes += state.verifies + state.refutes;
    work += 1 + PART * (ledger.refsOf(state.seq).length + ledger.labelsOf(state.seq).length);
    leave(ledger, state, state.withdrawn ? "retracted" : "expired");
  }
  const leases = endLeases(ledger);
  const aliases = sweepAliases(ledger, ENDS_PER_SWEEP);
  return ended < due.length || due.length === ENDS_PER_SWEEP || leases || aliases;
}

/** Ends leases that are due, except those to be kept. Returns whether there may be more. */
export function endLeases(ledger: Ledger, keep: (target: MessageState) => boolean = () => false, limit: number = ENDS_PER_SWEEP): boolean {
  const ended = ledger.endedLeases(limit);
  for (const { id } of ended) {
    const target = ledger.find(id);
    if (target !== undefined && !keep(target)) release(ledger, target);
  }
  return ended.length === limit;
}
