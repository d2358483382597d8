// How a message changes what the board knows of others when it arrives, and takes that along when it leaves.
import { contentText } from "../log/entry-text.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Ref } from "../protocol/payload.ts";
import { sha256Hex } from "../protocol/sha256.ts";
import { durationSeconds } from "../protocol/time.ts";
import { isWorkable, RELS, retractsAll, type Signal, type Status } from "../protocol/vocabulary.ts";
import { sweepAliases } from "./alias-rules.ts";
import { creditAnswer, creditLease, creditMessage, creditResolved, creditSignal, creditVote, uncredit } from "./credit.ts";
import { type Arrival, type Gone, type GoneReason, type Label, labelsOf, type Ledger, type Standing } from "./standing.ts";
import { statusOf, verdict } from "./status.ts";
import { type Trace, traceOf } from "./trace.ts";

/** How much one step of the sweep takes on, so that posts never wait long behind it. */
const SWEEP_STEP = 256;

const seconds = (value: string | number | undefined, otherwise: number): number =>
  value === undefined ? otherwise : (durationSeconds(value) ?? otherwise);

/** Enters an admitted message into log, thread and derived facts; the root is worked out unless it is known. */
export function arrive(ledger: Ledger, arrival: Arrival, root?: string): Standing {
  const { id, author, payload, raw } = arrival;
  const refs = distinct(payload.refs ?? []);
  const seq = ledger.log("create", id, null, sha256Hex(contentText(raw)));
  const standing: Standing = {
    seq,
    id,
    author,
    kind: payload.kind,
    root: root ?? rootOf(ledger, id, payload.refs ?? []),
    receivedAt: ledger.now,
    expiresAt: ledger.now + seconds(payload.ttl, LIMITS.ttl_default_s) * 1000,
    to: payload.to ?? null,
    bits: arrival.bits,
    assisted: arrival.assisted,
    hasData: payload.data !== undefined,
    hasAttachment: (payload.attachments ?? []).length > 0,
    lang: payload.lang?.toLowerCase() ?? null,
    repliedTo: repliedTo(ledger, author, refs),
    status: "open",
    verifies: 0,
    refutes: 0,
    replies: ledger.repliesTo(id),
    answers: 0,
    answersVerified: 0,
    answersDisputed: 0,
    signals: {},
    resolvedByAuthor: false,
    duplicateOf: refs.find((ref) => ref.rel === "duplicates")?.id ?? null,
    claimedBy: null,
    leaseUntil: null,
    claimSeq: null,
    supersededBy: null,
    supersededAt: null,
    withdrawn: false,
  };
  standing.status = statusOf(standing, ledger.now);
  ledger.insert(standing, arrival, refs);
  tallyMessage(ledger, standing, labelsOf(payload), refs, 1);
  ledger.tally("posted", minuteOf(ledger.now), 1);
  ledger.tally("hour", minuteOf(ledger.now - (ledger.now % HOUR_MS)), 1);
  if (ledger.joinThread(standing.root, 1) === 1) ledger.tally("thread", "live", 1);
  if (standing.replies > 0) ledger.adoptReplies(id, author);

  for (const ref of refs) begin(ledger, standing, ref, arrival);
  if (retractsAll(payload)) {
    ledger.withdrawBefore(author, seq);
    sweep(ledger);
    // A reply that came before this message may have gone with the rest.
    return ledger.find(id) ?? standing;
  }
  return standing;
}

/** Ends what is due by now: lifetimes and leases. Whether there may be more. */
export function sweep(ledger: Ledger): boolean {
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
export function endLeases(ledger: Ledger, keep: (target: Standing) => boolean = () => false, step: number = SWEEP_STEP): boolean {
  const ended = ledger.endedLeases(step);
  for (const { id } of ended) {
    const target = ledger.find(id);
    if (target !== undefined && !keep(target)) release(ledger, target);
  }
  return ended.length === step;
}

/** The root of the first thread-joining ref's target; that target's id where it is unknown here. */
function rootOf(ledger: Ledger, id: string, refs: readonly Ref[]): string {
  const joining = refs.find((ref) => RELS[ref.rel].thread);
  if (joining === undefined) return id;
  return ledger.find(joining.id)?.root ?? ledger.gone(joining.id)?.root ?? joining.id;
}

/** Whom the message reaches by joining their messages; a gone message still had an author. */
function repliedTo(ledger: Ledger, author: string, refs: readonly Ref[]): readonly string[] {
  const joined = refs.filter((ref) => RELS[ref.rel].thread).map((ref) => ledger.find(ref.id)?.author ?? ledger.gone(ref.id)?.author);
  return [...new Set(joined)].filter((agent) => agent !== undefined && agent !== author) as string[];
}

const HOUR_MS = 3_600_000;
const minuteOf = (ms: number): string => String(Math.floor(ms / 60_000));

/** Counts a message in or out of what default listings show. */
function tallyMessage(ledger: Ledger, standing: Standing, labels: readonly Label[], refs: readonly Ref[], by: 1 | -1): void {
  ledger.tally("kind", standing.kind, by);
  tallyStatus(ledger, standing, standing.status, by);
  for (const { field, label } of labels) ledger.tally(field, label, by);
  creditMessage(ledger, standing, labels, refs, by);
}

function tallyStatus(ledger: Ledger, { kind }: Standing, status: Status, by: 1 | -1): void {
  ledger.tally("status", status, by);
  if (isWorkable(kind)) ledger.tally("work", status, by);
}

/** The same rel to the same target acts once, where it first stands; of a message's votes on one target the last counts. */
function distinct(refs: readonly Ref[]): readonly Ref[] {
  const vote = ({ rel }: Ref) => rel === "verifies" || rel === "refutes";
  const same = (a: Ref, b: Ref) => a.id === b.id && (a.rel === b.rel || (vote(a) && vote(b)));
  return refs
    .filter((ref, i) => refs.findIndex((first) => same(first, ref)) === i)
    .map((ref) => (vote(ref) ? (refs.findLast((last) => same(last, ref)) ?? ref) : ref));
}

function begin(ledger: Ledger, actor: Standing, { rel, id }: Ref, arrival: Arrival): void {
  const target = ledger.find(id);
  if (target === undefined) return;
  switch (rel) {
    case "reply":
      target.replies++;
      return ledger.update(target);
    case "answers":
      return countAnswer(ledger, target, actor, 1);
    case "verifies":
    case "refutes":
      return changeVote(ledger, target, actor.author, () => ledger.castVote(target.seq, actor.author, actor.seq, rel));
    case "claims":
      creditLease(ledger, target.claimedBy, actor.author);
      target.claimedBy = actor.author;
      // A claim that expires before its lease takes the lease along.
      target.leaseUntil = Math.min(ledger.now + seconds(arrival.payload.lease, LIMITS.lease_default_s) * 1000, actor.expiresAt);
      target.claimSeq = actor.seq;
      return settle(ledger, target);
    case "on":
      if (arrival.payload.signal === undefined) return;
      ledger.addSignal(target.seq, actor.author, arrival.payload.signal, actor.seq);
      return countSignal(ledger, target, actor.author, arrival.payload.signal, 1);
    case "retracts":
      leave(ledger, target, "retracted");
      return;
    case "supersedes":
      return supersede(ledger, target, actor.id);
    case "subtask_of":
    case "duplicates":
    case "builds_on":
    case "cites":
    case "summarizes":
      return;
  }
}

/**
 * A message that was removed and given back begins anew when its author posts it again.
 * What was done to it before, but for replies, was done to the one that is gone.
 */
const cameBack = (target: Standing, actor: Standing): boolean => target.seq > actor.seq;

/** Takes the effects of a message back: it expired, was withdrawn, removed or superseded. */
function cease(ledger: Ledger, actor: Standing): void {
  if (actor.supersededBy !== null) return;
  const refs = ledger.refsOf(actor.seq);
  tallyMessage(ledger, actor, ledger.labelsOf(actor.seq), refs, -1);
  for (const { rel, id } of refs) {
    const target = ledger.find(id);
    if (target === undefined || (rel !== "reply" && cameBack(target, actor))) continue;
    switch (rel) {
      case "reply":
        target.replies--;
        ledger.update(target);
        break;
      case "answers":
        countAnswer(ledger, target, actor, -1);
        break;
      case "verifies":
      case "refutes":
        changeVote(ledger, target, actor.author, () => ledger.dropVote(target.seq, actor.author, actor.seq));
        break;
      case "claims":
        if (target.claimSeq === actor.seq) release(ledger, target);
        break;
      case "on": {
        const signal = ledger.signalOf(actor.seq);
        if (signal !== undefined && ledger.dropSignal(target.seq, actor.author, signal, actor.seq))
          countSignal(ledger, target, actor.author, signal, -1);
        break;
      }
      case "retracts":
      case "supersedes":
      case "subtask_of":
      case "duplicates":
      case "builds_on":
      case "cites":
      case "summarizes":
        break;
    }
  }
}

const ENTRY_OF = { expired: "expire", retracted: "retract", removed: "remove" } as const;

/** A message goes for good; its tombstone stays a while. The answer is the seq of its last entry. */
export function leave(ledger: Ledger, standing: Standing, reason: GoneReason, statement: string | null = null): number {
  const entry = ledger.log(ENTRY_OF[reason], standing.id, statement);
  const trace = reason === "removed" ? null : JSON.stringify(traceIn(ledger, standing));
  cease(ledger, standing);
  uncredit(ledger, standing);
  const { id, seq, author, kind, root, receivedAt } = standing;
  const gone: Gone = {
    id,
    seq,
    author,
    kind: reason === "removed" ? kindOfRemoved(kind) : kind,
    root,
    receivedAt,
    reason,
    // When it ended for its readers, which may be before the sweep came.
    at: Math.min(standing.expiresAt, ledger.now),
    statement,
    trace,
    restored: false,
  };
  ledger.erase(standing, gone);
  // A superseded message still stands in its thread; only one that is erased leaves it.
  if (ledger.joinThread(root, -1) === 0) ledger.tally("thread", "live", -1);
  ledger.tally(reason, minuteOf(ledger.now), 1);
  return entry;
}

function traceIn(ledger: Ledger, standing: Standing): Trace {
  const { seq, verifies } = standing;
  return traceOf(standing, ledger.refsOf(seq), ledger.labelsOf(seq), verifies === 0 ? [] : ledger.votesOn(seq));
}

export function supersede(ledger: Ledger, target: Standing, by: string): void {
  ledger.log("supersede", target.id, JSON.stringify({ by }));
  cease(ledger, target);
  target.supersededBy = by;
  target.supersededAt = ledger.now;
  ledger.update(target);
}

/** The lease on a message has ended, by time or because its claim went. */
function release(ledger: Ledger, target: Standing): void {
  creditLease(ledger, target.claimedBy, null);
  target.claimedBy = null;
  target.leaseUntil = null;
  target.claimSeq = null;
  settle(ledger, target);
}

function changeVote(ledger: Ledger, target: Standing, agent: string, change: () => void): void {
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

function countAnswer(ledger: Ledger, target: Standing, answer: Standing, by: 1 | -1): void {
  target.answers += by;
  countVerdict(target, verdict(answer), by);
  creditAnswer(ledger, target, answer, by);
  settle(ledger, target);
}

function countVerdict(target: Standing, of: ReturnType<typeof verdict>, by: 1 | -1): void {
  if (of === "verified") target.answersVerified += by;
  if (of === "disputed") target.answersDisputed += by;
}

function countSignal(ledger: Ledger, target: Standing, agent: string, signal: Signal, by: 1 | -1): void {
  const count = (target.signals[signal] ?? 0) + by;
  if (count > 0) target.signals[signal] = count;
  else delete target.signals[signal];
  creditSignal(ledger, target, signal, by);
  if (signal === "resolved" && agent === target.author) target.resolvedByAuthor = by === 1;
  settle(ledger, target);
}

/** Stores what changed about a message and logs its status if that moved. */
function settle(ledger: Ledger, standing: Standing): void {
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

/** An experiment's name is its author's own words. */
export const kindOfRemoved = (kind: string): string => (kind.startsWith("x-") ? "x-removed" : kind);
