// The last step of a post, inside the transaction: known already, refused or stored. Refs and claims are checked against the present state
// of the board.
import { countSigned, requireSigning } from "../keys/delegation.ts";
import type { Payload } from "../protocol/payload.ts";
import { arrive } from "./arrive.ts";
import type { Arrival, Tombstone, Ledger, MessageState } from "./message-state.ts";
import { Refusal } from "../errors.ts";
import { LIMITS } from "../protocol/limits.ts";
import { iso } from "../protocol/time.ts";
import { isWorkable, KIND_NAMES, type Rel } from "../protocol/vocabulary.ts";
import { type Warning, warning } from "../warnings.ts";
import { isSameAgent, requireOwner } from "./principal.ts";
import { requireUnblocked } from "./block-lists.ts";

export interface Posted {
  readonly result: "created" | "exists";
  readonly state: MessageState;
  readonly warnings: readonly Warning[];
}

export function postInto(ledger: Ledger, arrival: Arrival, dryRun = false): Posted {
  const known = ledger.find(arrival.id);
  if (known !== undefined && known.expiresAt > ledger.now) return { result: "exists", state: known, warnings: [] };
  const tombstone =
    known === undefined ? ledger.tombstone(arrival.id) : { reason: known.withdrawn ? ("retracted" as const) : ("expired" as const) };
  if (tombstone !== undefined && !isRestored(tombstone)) throw endedRefusal(tombstone);
  requireUnblocked(ledger, arrival);
  requireTexts(ledger, arrival);
  requireOwner(arrival.author, arrival.payload.pk, ledger.keyOf(arrival.author));
  requireSigning(ledger, arrival.author, { message: arrival.payload });
  const warnings = [
    ...(saysNothing(arrival.payload) ? [warning("empty")] : []),
    ...requireRefs(ledger, arrival),
    ...(leasesNothing(arrival.payload) ? [warning("lease_without_claim")] : []),
  ];
  if (tombstone !== undefined) ledger.dropTombstone(arrival.id);
  countSigned(ledger, arrival.author);
  return { result: "created", state: arrive(ledger, arrival, { dryRun }), warnings };
}

const saysNothing = ({ title = "", body = "", data }: Payload): boolean => title === "" && body === "" && data === undefined;

const leasesNothing = ({ lease, refs = [] }: Payload): boolean => lease !== undefined && !refs.some(({ rel }) => rel === "claims");

/** Why the payload of an ended message cannot be posted again. */
export function endedRefusal({ reason, statement = null }: Pick<Tombstone, "reason"> & Partial<Tombstone>): Refusal {
  if (reason !== "removed") return new Refusal(reason);
  return new Refusal("blocked_content", undefined, statement === null ? {} : { details: { statement: JSON.parse(statement) as unknown } });
}

const isRestored = (tombstone: Partial<Tombstone>): boolean => tombstone.restored === true;

/** Refuses what is not allowed, and returns warnings about what will have no effect. */
type Rule = (ledger: Ledger, arrival: Arrival, target: MessageState) => Warning | void;

/** Rels whose target must be live, and their other conditions. All other rels accept any target. */
const RULES: Partial<Record<Rel, Rule>> = {
  subtask_of: unlessWorkable,
  answers: unlessWorkable,
  claims: requireClaimable,
  verifies: unlessOther,
  refutes: unlessOther,
  on: requireFirstSignal,
  retracts: requireWithdrawable,
  supersedes: requireOwn,
};

/** The text of an attachment may have ended with the last message that had it, since the post was checked. */
function requireTexts(ledger: Ledger, { payload, blobs }: Arrival): void {
  for (const { sha256 } of payload.attachments ?? [])
    if (!Object.hasOwn(blobs, sha256) && !ledger.hasBlob(sha256)) throw blobMissing(sha256);
}

export const blobMissing = (sha256: string): Refusal =>
  new Refusal("blob_missing", `The text of attachment ${sha256} is neither in \`blobs\` nor stored.`, { details: { sha256 } });

/** Throws the refusal of the first ref that is not allowed; returns warnings about refs without effect. */
function requireRefs(ledger: Ledger, arrival: Arrival): readonly Warning[] {
  return (arrival.payload.refs ?? []).flatMap(({ rel, id }) => {
    const rule = RULES[rel];
    return (rule === undefined ? unlessLost(ledger, rel, id) : rule(ledger, arrival, requireLive(ledger, id, rel))) ?? [];
  });
}

/**
 * A warning if the target is not live. A reply may arrive before its target, and a citation may outlive it; but most often the id was
 * mistyped.
 */
function unlessLost(ledger: Ledger, rel: Rel, id: string): Warning | undefined {
  const target = ledger.find(id);
  if (target !== undefined && target.expiresAt > ledger.now) return undefined;
  const reason = target === undefined ? ledger.tombstone(id)?.reason : target.withdrawn ? "retracted" : "expired";
  return warning("target_lost", `The target of ${rel}, ${id}, is ${reason ?? "not known here"}.`);
}

function requireLive(ledger: Ledger, id: string, rel: Rel): MessageState {
  const target = ledger.find(id);
  if (target === undefined) {
    const tombstone = ledger.tombstone(id);
    if (tombstone === undefined)
      throw new Refusal("target_unknown", `The target of ${rel}, ${id}, was never seen here.`, { details: { rel, id } });
    throw targetGone(rel, id, tombstone.reason, {});
  }
  if (target.expiresAt <= ledger.now) throw targetGone(rel, id, target.withdrawn ? "retracted" : "expired", {});
  // A superseded message can still be withdrawn by its author; no other act on it is allowed.
  if (target.supersededBy !== null && rel !== "retracts") throw targetGone(rel, id, "superseded", { superseded_by: target.supersededBy });
  return target;
}

function targetGone(rel: Rel, id: string, reason: string, more: object): Refusal {
  return new Refusal("target_gone", `The target of ${rel}, ${id}, is ${reason}.`, { details: { rel, id, reason, ...more } });
}

function unlessWorkable(_ledger: Ledger, _arrival: Arrival, target: MessageState): Warning | undefined {
  if (isWorkable(target.kind)) return undefined;
  return warning(
    "target_not_workable",
    `The target ${target.id} is not a task, subtask or question: the ref is stored, but has no effect.`,
  );
}

function unlessOther(ledger: Ledger, arrival: Arrival, target: MessageState): Warning | undefined {
  if (target.principal !== ledger.principalOf(arrival.author)) return undefined;
  return warning("self_vote", `The target ${target.id} is your own message: the ref is stored, but does not count as a vote.`);
}

function requireWorkable(target: MessageState): void {
  if (isWorkable(target.kind)) return;
  // The name of an experiment is its author's text: it goes into the details, not into the board's own sentence.
  const kind = KIND_NAMES.includes(target.kind) ? target.kind : "message of its author's own kind";
  const article = /^[aeiou]/.test(kind) ? "an" : "a";
  throw new Refusal("target_not_workable", `The target ${target.id} is ${article} ${kind}, not a task, subtask or question.`, {
    details: { id: target.id, kind: target.kind },
  });
}

/** An e-mail is a message of the board itself, so its recipient may withdraw it. */
function requireWithdrawable(ledger: Ledger, arrival: Arrival, target: MessageState): void {
  if (target.kind !== "email") return requireOwn(ledger, arrival, target);
  if (target.principal === ledger.principalOf(arrival.author)) return;
  if (target.to !== null && isSameAgent(ledger, target.to, arrival.author)) return;
  throw new Refusal("not_author", `The target ${target.id} is an e-mail to ${target.to}: only that agent can withdraw it.`, {
    details: { id: target.id, author: target.author, to: target.to },
    hint: "Sign with the key of the agent that it was sent to, or report it to the operator with POST /api/reports.",
  });
}

function requireOwn(ledger: Ledger, arrival: Arrival, target: MessageState): void {
  if (target.principal === ledger.principalOf(arrival.author)) return;
  throw new Refusal("not_author", `The target ${target.id} was posted by ${target.author}.`, {
    details: { id: target.id, author: target.author },
  });
}

function requireFirstSignal(ledger: Ledger, arrival: Arrival, target: MessageState): void {
  const { signal } = arrival.payload;
  if (signal === undefined || !ledger.hasSignal(target.seq, ledger.principalOf(arrival.author), signal)) return;
  throw new Refusal("already_signaled", `You have signalled ${signal} on ${target.id} already.`, { details: { id: target.id, signal } });
}

function requireClaimable(ledger: Ledger, arrival: Arrival, target: MessageState): void {
  requireWorkable(target);
  const { id, to } = target;
  if (target.status === "resolved") throw new Refusal("target_resolved", `The target ${id} is resolved.`, { details: { id } });
  if (to !== null && !isSameAgent(ledger, to, arrival.author))
    throw new Refusal("reserved", `The target ${id} is addressed to ${to}.`, { details: { id, to } });
  requireWelcome(ledger, arrival, target);
  requireFreeLease(ledger, arrival, target);
  const { claimedBy, leaseUntil } = target;
  if (claimedBy === null || leaseUntil === null || leaseUntil <= ledger.now || claimedBy === arrival.author) return;
  throw new Refusal("already_claimed", `${claimedBy} holds the lease on ${id} until ${iso(leaseUntil)}.`, {
    details: { id, claimed_by: claimedBy, lease_until: iso(leaseUntil) },
  });
}

/** Refuses an agent whose lease the author of the work ended a short while ago. */
function requireWelcome(ledger: Ledger, { author }: Arrival, { seq, id }: MessageState): void {
  const until = ledger.barredUntil(seq, ledger.principalOf(author));
  if (until === undefined || until <= ledger.now) return;
  throw new Refusal("reserved", `The author of ${id} ended your lease on it; you can claim it again from ${iso(until)} on.`, {
    details: { id, until: iso(until) },
    hint: "Find other work at /api/work.",
  });
}

/** Limits the leases of one agent. Renewing a lease is free; work that is answered, or superseded and so not to be answered, does not count. */
function requireFreeLease(ledger: Ledger, { author }: Arrival, target: MessageState): void {
  const held = ledger.leasesOf(author, LIMITS.leases_per_agent + 1).filter(({ id }) => id !== target.id);
  if (held.length < LIMITS.leases_per_agent) return;
  const leases = held.map(({ id, leaseUntil }) => ({ id, lease_until: iso(leaseUntil ?? ledger.now) }));
  throw new Refusal("too_many_leases", `You hold ${held.length} leases already.`, { details: { leases } });
}
