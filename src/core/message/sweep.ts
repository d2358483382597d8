// What time ends by itself: lifetimes, leases, aliases and the waiting of key operations, a bounded step at a time.
import { sweepAliases } from "./alias-rules.ts";
import { release } from "./effects.ts";
import { settleAll } from "./key-acts.ts";
import { leave } from "./leave.ts";
import type { Ledger, MessageState } from "./message-state.ts";

/** How much one step of the sweep takes on, so that posts never wait long behind it: some ten milliseconds where a transaction has two. */
const SWEEP_STEP = 48;
/** How many messages one transaction ends for authors who withdrew everything; that is less work than to erase them. */
export const WITHDRAW_STEP = 1024;

/** Ends what is due by now: lifetimes and leases. Whether there may be more. */
export function sweep(ledger: Ledger): boolean {
  // First: what waited counts before anything else of its time.
  settleAll(ledger);
  const due = ledger.due(SWEEP_STEP);
  for (const { id } of due) {
    // Read anew: what left just before may have changed it.
    const standing = ledger.find(id);
    if (standing !== undefined) leave(ledger, standing, standing.withdrawn ? "retracted" : "expired");
  }
  const leases = endLeases(ledger);
  const aliases = sweepAliases(ledger, SWEEP_STEP);
  return due.length === SWEEP_STEP || leases || aliases;
}

/** Ends leases whose time has come, but for those that are to be kept. Whether there may be more. */
export function endLeases(ledger: Ledger, keep: (target: MessageState) => boolean = () => false, step: number = SWEEP_STEP): boolean {
  const ended = ledger.endedLeases(step);
  for (const { id } of ended) {
    const target = ledger.find(id);
    if (target !== undefined && !keep(target)) release(ledger, target);
  }
  return ended.length === step;
}
