// Ends lifetimes, leases, aliases and the waiting time of key operations, in bounded steps.
import { sweepAliases } from "./alias-rules.ts";
import { release } from "./effects.ts";
import { applyAllDue } from "./key-acts.ts";
import { leave } from "./leave.ts";
import { type Ledger, type MessageState, VOTES_TAKEN_BACK } from "./message-state.ts";

/**
 * How much one step of the sweep does, so that posts never wait long for it: some milliseconds. Each message, label, reference and inbox
 * item counts as one.
 */
const ENDS_PER_SWEEP = 48;
/** These come first, because a store may fetch what belongs to a message before it is known how much that is. */
const FIRST_ENDS = 4;
/** How many messages one transaction ends for authors who withdrew everything; ending is less work than erasing. */
export const WITHDRAWN_PER_BATCH = 1024;

/** Ends lifetimes and leases that are due. Returns whether there may be more. */
export function sweep(ledger: Ledger): boolean {
  // First of all: pending key operations take effect before anything else of their time.
  applyAllDue(ledger);
  const messages = endMessages(ledger);
  const leases = endLeases(ledger);
  const aliases = sweepAliases(ledger, ENDS_PER_SWEEP);
  return messages || leases || aliases;
}

/** Ends messages that are due. Returns whether there may be more. */
function endMessages(ledger: Ledger): boolean {
  let [votes, work] = [0, 0];
  for (const limit of [FIRST_ENDS, ENDS_PER_SWEEP - FIRST_ENDS]) {
    const due = ledger.due(limit);
    for (const { id } of due) {
      if (votes >= VOTES_TAKEN_BACK || work >= ENDS_PER_SWEEP) return true;
      // Read again: messages that just ended may have changed it.
      const state = ledger.find(id);
      if (state === undefined) continue;
      votes += state.verifies + state.refutes;
      work += workOfEnding(ledger, state);
      leave(ledger, state, state.withdrawn ? "retracted" : "expired");
    }
    if (due.length < limit) return false;
  }
  return true;
}

const workOfEnding = (ledger: Ledger, { seq }: MessageState): number =>
  1 + ledger.refsOf(seq).length + ledger.labelsOf(seq).length + ledger.inboxItems(seq).length;

/** Ends leases that are due, except those to be kept. Returns whether there may be more. */
export function endLeases(ledger: Ledger, keep: (target: MessageState) => boolean = () => false, limit: number = ENDS_PER_SWEEP): boolean {
  const ended = ledger.endedLeases(limit);
  for (const { id } of ended) {
    const target = ledger.find(id);
    if (target !== undefined && !keep(target)) release(ledger, target);
  }
  return ended.length === limit;
}
