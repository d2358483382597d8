// What one message does to another: answers, votes, signals and leases counted in and out, and the status that follows.
import { isWorkable, type Signal } from "../protocol/vocabulary.ts";
import { creditAnswer, creditLease, creditResolved, creditSignal, creditVote } from "./credit.ts";
import type { Ledger, Standing } from "./standing.ts";
import { statusOf, verdict } from "./status.ts";
import { tallyStatus } from "./tally.ts";

/**
 * A message that was removed and given back begins anew when its author posts it again.
 * What was done to it before, but for replies, was done to the one that is gone.
 */
export const cameBack = (target: Standing, actor: Standing): boolean => target.seq > actor.seq;

/** The lease on a message has ended, by time or because its claim went. */
export function release(ledger: Ledger, target: Standing): void {
  creditLease(ledger, target.claimedBy, null);
  target.claimedBy = null;
  target.leaseUntil = null;
  target.claimSeq = null;
  settle(ledger, target);
}

export function changeVote(ledger: Ledger, target: Standing, agent: string, change: () => void): void {
  const before = verdict(target);
  const old = ledger.vote(target.seq, agent);
  if (old !== undefined) {
    target[old]--;
    creditVote(ledger, target, agent, old, -1);
  }
  change();
  const current = ledger.vote(target.seq, agent);
  if (current !== undefined) {
    target[current]++;
    creditVote(ledger, target, agent, current, 1);
  }
  settle(ledger, target);
  const after = verdict(target);
  if (before === after || target.supersededBy !== null) return;
  // The target may itself answer something whose status hangs on these votes.
  for (const { rel, id } of ledger.refsOf(target.seq)) {
    if (rel !== "answers") continue;
    const answered = ledger.find(id);
    if (answered === undefined || cameBack(answered, target)) continue;
    countVerdict(answered, before, -1);
    countVerdict(answered, after, 1);
    settle(ledger, answered);
  }
}

export function countAnswer(ledger: Ledger, target: Standing, answer: Standing, by: 1 | -1): void {
  target.answers += by;
  countVerdict(target, verdict(answer), by);
  creditAnswer(ledger, target, answer, by);
  settle(ledger, target);
}

function countVerdict(target: Standing, of: ReturnType<typeof verdict>, by: 1 | -1): void {
  if (of === "verified") target.answersVerified += by;
  if (of === "disputed") target.answersDisputed += by;
}

export function countSignal(ledger: Ledger, target: Standing, agent: string, signal: Signal, by: 1 | -1): void {
  const count = (target.signals[signal] ?? 0) + by;
  if (count > 0) target.signals[signal] = count;
  else delete target.signals[signal];
  creditSignal(ledger, target, signal, by);
  if (signal === "resolved" && agent === target.author) target.resolvedByAuthor = by === 1;
  settle(ledger, target);
}

/** Stores what changed about a message and logs its status if that moved. */
export function settle(ledger: Ledger, standing: Standing): void {
  const from = standing.status;
  standing.status = statusOf(standing, ledger.now);
  ledger.update(standing);
  if (from === standing.status) return;
  if (standing.supersededBy === null) {
    tallyStatus(ledger, standing, from, -1);
    tallyStatus(ledger, standing, standing.status, 1);
  }
  if (isWorkable(standing.kind) && (from === "resolved" || standing.status === "resolved"))
    creditResolved(ledger, standing, standing.status === "resolved" ? 1 : -1);
  ledger.log("status", standing.id, JSON.stringify({ from, to: standing.status }));
}
