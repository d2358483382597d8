// What one message does to another: adds and takes back answers, votes, signals and leases, and updates the status.
import { LIMITS } from "../protocol/limits.ts";
import { isVote, isWorkable, type Rel, type Signal, type Status } from "../protocol/vocabulary.ts";
import { HOUR_MS } from "../durations.ts";
import { creditAnswer, creditLease, creditResolved, creditSignal, creditVote, tallyStatus } from "./counts.ts";
import { isSameAgent } from "./principal.ts";
import type { Ledger, MessageState } from "./message-state.ts";
import { judgeAnswer, type AnswerVerdict, statusOf } from "./status.ts";

/**
 * A removed and restored message starts over when its author posts it again: only replies are kept, not the answers, votes and signals of
 * before.
 */
export const cameBack = (target: MessageState, actor: MessageState): boolean => target.seq > actor.seq;

/** Whether the ref has an effect. A vote on one's own message, or an answer to a message that asks nothing, is only a link. */
export function acts(rel: Rel, actor: MessageState, target: MessageState): boolean {
  if (rel === "answers") return isWorkable(target.kind);
  return !isVote({ rel }) || target.principal !== actor.principal;
}

/** The lease on a message has ended, by time or because its claim ended. */
export function release(ledger: Ledger, target: MessageState): void {
  updateStatus(ledger, target, dropLease(ledger, target));
}

/**
 * Ends an overdue lease before anything else happens to the message. If many leases end together, an act may come before the sweep; the
 * lease has still ended first, and by itself.
 */
export function endOverdueLease(ledger: Ledger, target: MessageState): void {
  if (target.leaseUntil === null || target.leaseUntil > ledger.now) return;
  const holder = dropLease(ledger, target);
  if (target.status !== "claimed") return;
  target.status = "open";
  tellStatus(ledger, target, "claimed", { holder, cause: undefined });
}

/** Returns the agent that held the lease. */
function dropLease(ledger: Ledger, target: MessageState): string | null {
  const holder = target.claimedBy;
  creditLease(ledger, holder, null);
  target.claimedBy = null;
  target.leaseUntil = null;
  target.claimSeq = null;
  return holder;
}

export function changeVote(ledger: Ledger, target: MessageState, agent: string, change: () => void): void {
  const old = ledger.vote(target.seq, agent);
  const asked = target.supersededBy === null ? [...targetsOf(ledger, target, "answers")].filter(({ kind }) => isWorkable(kind)) : [];
  const before = asked.map((one) => answerVerdict(ledger, one, target));
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
  // The target may itself be an answer, and these votes may change the status of what it answers.
  for (const [i, one] of asked.entries()) {
    const [was, is] = [before[i]!, answerVerdict(ledger, one, target)];
    if (was === is) continue;
    countJudged(ledger, one, target, was, -1);
    countJudged(ledger, one, target, is, 1);
    updateStatus(ledger, one);
  }
}

/** The live messages to which this one has this rel, each once, without those that came back since. */
function* targetsOf(ledger: Ledger, actor: MessageState, wanted: Rel): Generator<MessageState> {
  for (const { rel, id } of ledger.refsOf(actor.seq)) {
    const target = rel === wanted ? ledger.find(id) : undefined;
    if (target !== undefined && !cameBack(target, actor)) yield target;
  }
}

const answerVerdict = (ledger: Ledger, asked: MessageState, answer: MessageState): AnswerVerdict =>
  judgeAnswer(answer, ledger.vote(answer.seq, asked.principal));

export function countAnswer(ledger: Ledger, target: MessageState, answer: MessageState, by: 1 | -1): void {
  countJudged(ledger, target, answer, answerVerdict(ledger, target, answer), by);
  updateStatus(ledger, target);
}

/** A rejected answer is counted separately and to nobody's credit. */
function countJudged(ledger: Ledger, target: MessageState, answer: MessageState, as: AnswerVerdict, by: 1 | -1): void {
  if (as === "rejected") {
    target.rejected += by;
    return;
  }
  target.answers += by;
  if (as === "verified") target.answersVerified += by;
  creditAnswer(ledger, target, answer, by);
}

/** The author of the work says that a claim is stale: the claimant loses the lease for good, and cannot claim it again for a while. */
export function endLease(ledger: Ledger, claim: MessageState, agent: string): void {
  for (const target of targetsOf(ledger, claim, "claims")) {
    if (target.principal !== agent) continue;
    ledger.bar(target.seq, claim.principal, ledger.now + LIMITS.reserved_hours * HOUR_MS);
    // The lease may have passed to a successor key.
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

/** Stores what changed about a message and logs its status if that changed; `holder` has just lost the lease on it. */
export function updateStatus(ledger: Ledger, state: MessageState, holder: string | null = null): void {
  endOverdueLease(ledger, state);
  const from = state.status;
  state.status = statusOf(state, ledger.now);
  if (from !== state.status) tellStatus(ledger, state, from, { holder, cause: ledger.cause });
  ledger.update(state);
}

/** Who has just lost the lease, and whose act it was that changed the status. */
interface Occasion {
  readonly holder: string | null;
  readonly cause: string | undefined;
}

function tellStatus(ledger: Ledger, state: MessageState, from: Status, occasion: Occasion): void {
  if (state.supersededBy === null) {
    tallyStatus(ledger, state, from, -1);
    tallyStatus(ledger, state, state.status, 1);
  }
  if (isWorkable(state.kind) && (from === "resolved" || state.status === "resolved"))
    creditResolved(ledger, state, state.status === "resolved" ? 1 : -1);
  const entry = ledger.log("status", state.id, JSON.stringify({ from, to: state.status }));
  if (state.supersededBy !== null) return;
  hearOfStatus(ledger, state, from, occasion, entry);
  if (!isWorkable(state.kind) || !isToDo(from) || isToDo(state.status)) return;
  for (const whole of targetsOf(ledger, state, "subtask_of")) freeOfPart(ledger, whole, entry);
}

/** Tells the author, and the agent that lost the lease, unless they caused the change themselves. */
function hearOfStatus(
  ledger: Ledger,
  { author, seq: target, status }: MessageState,
  was: Status,
  { holder, cause }: Occasion,
  seq: number,
): void {
  const change = { seq, target, reason: holder === null ? "status" : "lease", was, became: status } as const;
  const concerned = new Set([author, ...(holder === null ? [] : [holder])].map((agent) => ledger.principalOf(agent)));
  // Sorted, so that the items of one entry are in the same order wherever they are read from.
  for (const agent of [...concerned].sort())
    if (cause === undefined || !isSameAgent(ledger, agent, cause)) ledger.addInboxChange({ agent, ...change });
}

/** Whether a part keeps the work it belongs to from being offered. */
export const isToDo = (status: Status): boolean => status === "open" || status === "claimed";

/** A part of this work is done or ended, so the work may be offered again: marks it as changed, which wakes agents that wait for work. */
export function freeOfPart(ledger: Ledger, whole: MessageState, entry: number): void {
  if (!isWorkable(whole.kind) || whole.status !== "open") return;
  whole.changed = entry;
  ledger.update(whole);
}
