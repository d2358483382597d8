// What one message does to another: answers, votes, signals and leases counted in and out, and the status that follows.
import { LIMITS } from "../protocol/limits.ts";
import { isWorkable, type Rel, type Signal, type Status } from "../protocol/vocabulary.ts";
import { HOUR_MS } from "../durations.ts";
import { creditAnswer, creditLease, creditResolved, creditSignal, creditVote } from "./credit.ts";
import { isSameAgent } from "./principal.ts";
import type { Ledger, MessageState } from "./message-state.ts";
import { judge, type Judgement, statusOf } from "./status.ts";
import { tallyStatus } from "./tally.ts";

/**
 * A message that was removed and given back begins anew when its author posts it again.
 * What was done to it before, but for replies, was done to the one that is gone.
 */
export const cameBack = (target: MessageState, actor: MessageState): boolean => target.seq > actor.seq;

/** A ref that cannot act is a plain edge: a vote on one's own message, an answer to what asks for none. */
export function acts(rel: Rel, actor: MessageState, target: MessageState): boolean {
  if (rel === "answers") return isWorkable(target.kind);
  return (rel !== "verifies" && rel !== "refutes") || target.principal !== actor.principal;
}

/** The lease on a message has ended, by time or because its claim went. */
export function release(ledger: Ledger, target: MessageState): void {
  const holder = target.claimedBy;
  creditLease(ledger, target.claimedBy, null);
  target.claimedBy = null;
  target.leaseUntil = null;
  target.claimSeq = null;
  updateStatus(ledger, target, holder);
}

export function changeVote(ledger: Ledger, target: MessageState, agent: string, change: () => void): void {
  const old = ledger.vote(target.seq, agent);
  const asked = target.supersededBy === null ? answeredBy(ledger, target) : [];
  const before = asked.map((one) => judgement(ledger, one, target));
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
  updateStatus(ledger, target);
  // The target may itself answer something whose status hangs on these votes.
  for (const [i, one] of asked.entries()) {
    const [was, is] = [before[i]!, judgement(ledger, one, target)];
    if (was === is) continue;
    countJudged(ledger, one, target, was, -1);
    countJudged(ledger, one, target, is, 1);
    updateStatus(ledger, one);
  }
}

/** The work that a message answers, each piece once. */
function answeredBy(ledger: Ledger, answer: MessageState): readonly MessageState[] {
  return ledger.refsOf(answer.seq).flatMap(({ rel, id }) => {
    const asked = rel === "answers" ? ledger.find(id) : undefined;
    return asked === undefined || !acts(rel, answer, asked) || cameBack(asked, answer) ? [] : [asked];
  });
}

const judgement = (ledger: Ledger, asked: MessageState, answer: MessageState): Judgement =>
  judge(answer, ledger.vote(answer.seq, asked.principal));

export function countAnswer(ledger: Ledger, target: MessageState, answer: MessageState, by: 1 | -1): void {
  countJudged(ledger, target, answer, judgement(ledger, target, answer), by);
  updateStatus(ledger, target);
}

/** A rejected answer is counted apart and is in nobody's favour. */
function countJudged(ledger: Ledger, target: MessageState, answer: MessageState, as: Judgement, by: 1 | -1): void {
  if (as === "rejected") {
    target.rejected += by;
    return;
  }
  target.answers += by;
  if (as === "verified") target.answersVerified += by;
  creditAnswer(ledger, target, answer, by);
}

/** The asker says that a claim is stale: whoever made it loses the lease for good, and cannot take it again for a while. */
export function endLease(ledger: Ledger, claim: MessageState, agent: string): void {
  for (const { rel, id } of ledger.refsOf(claim.seq)) {
    const target = rel === "claims" ? ledger.find(id) : undefined;
    if (target === undefined || target.principal !== agent || cameBack(target, claim)) continue;
    ledger.bar(target.seq, claim.principal, ledger.now + LIMITS.reserved_hours * HOUR_MS);
    // The lease may have passed to a key that came after.
    if (target.claimedBy === claim.author || target.claimSeq === claim.seq) release(ledger, target);
  }
}

export function countSignal(ledger: Ledger, target: MessageState, agent: string, signal: Signal, by: 1 | -1): void {
  const count = (target.signals[signal] ?? 0) + by;
  if (count > 0) target.signals[signal] = count;
  else delete target.signals[signal];
  creditSignal(ledger, target, signal, by);
  if (signal === "resolved" && agent === target.principal) target.resolvedByAuthor = by === 1;
  updateStatus(ledger, target);
}

/** Stores what changed about a message and logs its status if that moved; `holder` has just lost the lease on it. */
export function updateStatus(ledger: Ledger, standing: MessageState, holder: string | null = null): void {
  const from = standing.status;
  standing.status = statusOf(standing, ledger.now);
  if (from !== standing.status) tellStatus(ledger, standing, from, holder);
  ledger.update(standing);
}

function tellStatus(ledger: Ledger, standing: MessageState, from: Status, holder: string | null): void {
  if (standing.supersededBy === null) {
    tallyStatus(ledger, standing, from, -1);
    tallyStatus(ledger, standing, standing.status, 1);
  }
  if (isWorkable(standing.kind) && (from === "resolved" || standing.status === "resolved"))
    creditResolved(ledger, standing, standing.status === "resolved" ? 1 : -1);
  const entry = ledger.log("status", standing.id, JSON.stringify({ from, to: standing.status }));
  if (standing.supersededBy !== null) return;
  hearOfStatus(ledger, standing, from, holder, entry);
  if (!isWorkable(standing.kind) || !isToDo(from) || isToDo(standing.status)) return;
  for (const { rel, id } of ledger.refsOf(standing.seq)) {
    const whole = rel === "subtask_of" ? ledger.find(id) : undefined;
    if (whole !== undefined && !cameBack(whole, standing)) freeOfPart(ledger, whole, entry);
  }
}

/** Its author hears of it, and whoever has lost the lease, unless they did it themselves. */
function hearOfStatus(
  ledger: Ledger,
  { author, seq: target, status }: MessageState,
  was: Status,
  holder: string | null,
  seq: number,
): void {
  const heard = { seq, target, reason: holder === null ? "status" : "lease", was, became: status } as const;
  const concerned = new Set([author, ...(holder === null ? [] : [holder])].map((agent) => ledger.principalOf(agent)));
  for (const agent of concerned)
    if (ledger.cause === undefined || !isSameAgent(ledger, agent, ledger.cause)) ledger.hear({ agent, ...heard });
}

/** Whether a part holds up the work that it is a part of. */
export const isToDo = (status: Status): boolean => status === "open" || status === "claimed";

/** A part of this work is done or gone: it may be offered again, and whoever waits for work looks anew. */
export function freeOfPart(ledger: Ledger, whole: MessageState, entry: number): void {
  if (!isWorkable(whole.kind) || whole.status !== "open") return;
  whole.changed = entry;
  ledger.update(whole);
}
