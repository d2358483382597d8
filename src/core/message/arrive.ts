// Enters an admitted message into the log, its thread and the derived facts.
import { contentText } from "../log/entry-text.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Ref } from "../protocol/payload.ts";
import { sha256Hex } from "../protocol/node-sha256.ts";
import { durationSeconds } from "../protocol/time.ts";
import { isVote, RELS, retractsAll } from "../protocol/vocabulary.ts";
import { creditLease, tallyMessage, tallyPosted } from "./counts.ts";
import { acts, changeVote, countAnswer, countSignal, endLease, endOverdueLease, updateStatus } from "./effects.ts";
import { leave, supersede } from "./leave.ts";
import { type Arrival, type Ledger, type MessageState } from "./message-state.ts";
import { statusOf } from "./status.ts";
import { sweep } from "./sweep.ts";

const seconds = (value: string | number | undefined, otherwise: number): number =>
  value === undefined ? otherwise : (durationSeconds(value) ?? otherwise);

/** The thread of a message, and the authors whom it replies to. */
export type ThreadPlace = Pick<MessageState, "root" | "repliedTo">;

/**
 * Enters an admitted message into log, thread and derived facts; computes its place unless it is given. A dry run does not count the replies
 * that were there before the message, and ends nothing, because that may be very much.
 */
export function arrive(
  ledger: Ledger,
  arrival: Arrival,
  { root, repliedTo, dryRun = false }: Partial<ThreadPlace> & { readonly dryRun?: boolean } = {},
): MessageState {
  const { id, author, payload, raw, noticed } = arrival;
  const refs = distinct(payload.refs ?? []);
  const seq = ledger.log("create", id, null, { digest: sha256Hex(contentText(raw)), assisted: arrival.assisted });
  const state: MessageState = {
    seq,
    id,
    author,
    principal: ledger.principalOf(author),
    kind: payload.kind,
    root: root ?? rootOf(ledger, id, payload.refs ?? []),
    receivedAt: ledger.now,
    expiresAt: ledger.now + seconds(payload.ttl, LIMITS.ttl_default_s) * 1000,
    to: payload.to ?? null,
    bits: arrival.bits,
    assisted: arrival.assisted,
    hasData: payload.data !== undefined,
    hasAttachment: (payload.attachments ?? []).length > 0,
    // One by one: an object with a spread in the middle takes several times as long to make.
    risk: noticed.risk,
    copies: noticed.copies,
    spreading: noticed.spreading,
    lang: payload.lang?.toLowerCase() ?? null,
    repliedTo: repliedTo ?? authorsJoined(ledger, author, refs),
    status: "open",
    verifies: 0,
    refutes: 0,
    replies: dryRun ? 0 : ledger.repliesTo(id),
    answers: 0,
    answersVerified: 0,
    rejected: 0,
    signals: {},
    resolvedByAuthor: false,
    duplicateOf: refs.find((ref) => ref.rel === "duplicates")?.id ?? null,
    claimedBy: null,
    leaseUntil: null,
    claimSeq: null,
    supersededBy: null,
    supersededAt: null,
    changed: seq,
    signal: payload.signal ?? null,
    handled: null,
    handledAt: null,
    handledWhy: null,
    withdrawn: false,
  };
  state.status = statusOf(state, ledger.now);
  ledger.insert(state, arrival, refs);
  tallyMessage(ledger, state, ledger.labelsOf(seq), refs, 1);
  tallyPosted(ledger, state);
  if (ledger.joinThread(state.root, 1) === 1) ledger.tally("thread", "live", 1);
  if (state.replies > 0) ledger.adoptReplies(id, author);

  // What a dry run withdraws need not end.
  for (const ref of refs) if (!dryRun || ref.rel !== "retracts") begin(ledger, state, ref, arrival);
  if (retractsAll(payload) && !dryRun) {
    ledger.withdrawBefore(ownKeys(ledger, author), seq);
    sweep(ledger);
    // The withdrawn messages may include replies to this one, which changes its state.
    return ledger.find(id) ?? state;
  }
  return state;
}

/**
 * The keys whose messages a withdrawal of everything ends: every key of the author's line and the keys that they delegated to, or only the
 * author if it is a delegated key. The author comes last: its caller waits until the author's own messages have ended, and by then the
 * others have ended too.
 */
function ownKeys(ledger: Ledger, author: string): readonly string[] {
  const key = ledger.key(author);
  const line = key?.role === "own" ? ledger.line(key.principal) : undefined;
  if (line === undefined) return [author];
  const { members, children, former = [] } = line;
  return [...[...members, ...former, ...children].filter((one) => one !== author), author];
}

/**
 * The root of the thread that the first joining ref leads to: the target's id if the target is unknown here, or the message's own id if no
 * ref joins a thread.
 */
function rootOf(ledger: Ledger, id: string, refs: readonly Ref[]): string {
  const joining = refs.find((ref) => RELS[ref.rel].thread);
  if (joining === undefined) return id;
  return ledger.find(joining.id)?.root ?? ledger.tombstone(joining.id)?.root ?? joining.id;
}

/** The authors of the messages that this message joins; an ended message still has an author. */
function authorsJoined(ledger: Ledger, author: string, refs: readonly Ref[]): readonly string[] {
  const own = ledger.principalOf(author);
  const joined = refs.flatMap(({ rel, id }) => {
    const target = RELS[rel].thread ? (ledger.find(id) ?? ledger.tombstone(id)) : undefined;
    if (target === undefined) return [];
    const principal = "principal" in target ? target.principal : ledger.principalOf(target.author);
    return principal === own ? [] : [target.author];
  });
  return [...new Set(joined)];
}

/**
 * If the same rel to the same target is repeated, only the first one acts; of several votes of a message on one target, the last counts.
 */
function distinct(refs: readonly Ref[]): readonly Ref[] {
  const same = (a: Ref, b: Ref) => a.id === b.id && (a.rel === b.rel || (isVote(a) && isVote(b)));
  return refs
    .filter((ref, i) => refs.findIndex((first) => same(first, ref)) === i)
    .map((ref) => (isVote(ref) ? (refs.findLast((last) => same(last, ref)) ?? ref) : ref));
}

function begin(ledger: Ledger, actor: MessageState, { rel, id }: Ref, arrival: Arrival): void {
  const target = ledger.find(id);
  if (target === undefined || !acts(rel, actor, target)) return;
  const agent = actor.principal;
  switch (rel) {
    case "reply":
      target.replies++;
      return ledger.update(target);
    case "answers":
      return countAnswer(ledger, target, actor, 1);
    case "verifies":
    case "refutes":
      return changeVote(ledger, target, agent, () => ledger.castVote(target.seq, agent, actor.seq, rel));
    case "claims":
      endOverdueLease(ledger, target);
      creditLease(ledger, target.claimedBy, actor.author);
      target.claimedBy = actor.author;
      // If a claim expires before its lease, the lease ends with it.
      target.leaseUntil = Math.min(ledger.now + seconds(arrival.payload.lease, LIMITS.lease_default_s) * 1000, actor.expiresAt);
      target.claimSeq = actor.seq;
      return updateStatus(ledger, target);
    case "on":
      if (arrival.payload.signal === undefined) return;
      ledger.addSignal(target.seq, agent, arrival.payload.signal, actor.seq);
      countSignal(ledger, target, agent, arrival.payload.signal, 1);
      if (arrival.payload.signal === "stale") endLease(ledger, target, agent);
      return;
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
