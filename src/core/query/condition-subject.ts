// A message as conditions see it: from its state, or from the trace in its tombstone.
import { type Tombstone, type LabelField, labelsOf, type MessageState } from "../message/message-state.ts";
import { verdict, type Verdict } from "../message/status.ts";
import { labelMark, type Trace } from "../message/trace.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Status } from "../protocol/vocabulary.ts";
import { LABEL_FIELD, type SetField } from "./condition.ts";
import type { Subject } from "./predicate.ts";
import { messageTerms } from "./filter-index-terms.ts";

export interface SubjectFacts {
  readonly state: MessageState;
  readonly payload: Payload;
  readonly authorSince: number;
  /** Agents whose current vote on it is verifies. Undefined if they are not known: then any agent may be one of them. */
  readonly verifiedBy: readonly string[] | undefined;
}

/** `status` is the status to use: the present one, or an earlier one. */
export function subjectOf({ state, payload, authorSince, verifiedBy }: SubjectFacts, status: Status): Subject {
  const { to, repliedTo, claimedBy, leaseUntil, changed } = state;
  const labels = labelsOf(payload);
  const inField = (field: LabelField) => labels.filter((one) => one.field === field).map(({ label }) => label);
  const sets: Record<SetField, readonly string[]> = {
    tags: inField("tag"),
    needs: inField("need"),
    offers: inField("offer"),
    repliedTo,
    reaches: to === null ? repliedTo : [to, ...repliedTo],
    verifiedBy: verifiedBy ?? [],
    claimedBy: claimedBy === null ? [] : [claimedBy],
  };
  // The log does not say whose claim it was once the lease has ended.
  const anyClaim = status === "claimed" && state.status !== "claimed";
  const has = (field: SetField, value: string): boolean =>
    (field === "verifiedBy" && verifiedBy === undefined) || (field === "claimedBy" && anyClaim) || sets[field].includes(value);
  const marks = (): readonly string[] => labels.map(labelMark);
  const superseded = state.supersededBy !== null;
  return subject(state, state, { status, authorSince, leaseUntil, changed, superseded, has, refs: payload.refs ?? [], marks });
}

const LABEL_FIELDS: Partial<Record<SetField, LabelField>> = LABEL_FIELD;

/** An ended message, from its trace; labels are compared by their hashes. */
export function subjectOfTrace(tombstone: Tombstone, trace: Trace, authorSince: number): Subject {
  const { to, repliedTo, status, marks, refs, verifies, verifiedBy, claimedBy } = trace;
  const has = (field: SetField, value: string): boolean => {
    const labels = LABEL_FIELDS[field];
    if (labels !== undefined) return marks.includes(labelMark({ field: labels, label: value }));
    // If not all of them are known, it may be any agent.
    if (field === "verifiedBy") return verifiedBy.length < verifies || verifiedBy.includes(value);
    if (field === "claimedBy") return claimedBy === undefined ? status === "claimed" : claimedBy === value;
    return repliedTo.includes(value) || (field === "reaches" && to === value);
  };
  const ended = { leaseUntil: null, changed: tombstone.seq, superseded: false };
  return subject(tombstone, trace, { status, authorSince, ...ended, has, refs, marks: () => marks });
}

interface Rest extends Pick<Subject, "has" | "refs"> {
  readonly status: Status;
  readonly authorSince: number;
  readonly leaseUntil: number | null;
  readonly changed: number;
  readonly superseded: boolean;
  /** Hashes of its labels. */
  readonly marks: () => readonly string[];
}

function subject(message: MessageState | Tombstone, facts: MessageState | Trace, rest: Rest): Subject {
  const { seq, id, kind, root, author, receivedAt } = message;
  const { to, bits, verifies, refutes, risk = 0, copies = 0, expiresAt, hasData, hasAttachment, assisted, lang } = facts;
  const { status, authorSince, leaseUntil: lease, changed, superseded, has, refs, marks } = rest;
  // Without a lease, `leaseUntil` is NaN, which is in no range.
  const leaseUntil = lease ?? Number.NaN;
  return {
    text: { kind, status, root, author, to },
    number: { seq, bits, verifies, refutes, risk, copies, receivedAt, expiresAt, authorSince, leaseUntil, changed },
    flag: { hasData, hasAttachment, assisted, superseded, addressed: to !== null, isRoot: root === id },
    has,
    language: lang,
    refs,
    terms: () => messageTerms(message, facts, marks(), refs),
  };
}

/** One vote cast, withdrawn or reversed. */
const VOTE_STEPS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, -1],
  [-1, 1],
] as const;

const isByVotes = (status: Status): status is "verified" | "disputed" => status === "verified" || status === "disputed";

/**
 * How the message may have been before its status changed. It is given as it is now, but with the old status. The log does not say what
 * changed it; if it may have been a vote, the counts differed by one vote.
 */
export function subjectsBefore(now: Subject, from: Status, to: Status): readonly Subject[] {
  // A lease has ended, and the log does not say who held it.
  if (from === "claimed" && to === "open") return [{ ...now, has: (field, value) => field === "claimedBy" || now.has(field, value) }];
  if (!isByVotes(from) && !isByVotes(to)) return [now];
  return [now, ...oneVoteAway(now, isByVotes(from) ? from : "none")];
}

/**
 * How the message may have been after its status changed. It is given as it is now, but with the new status. If that is no longer its
 * `present` status, votes may have been withdrawn since: if the remaining votes do not result in the status, the counts differed by one
 * vote.
 */
export function subjectsAfter(now: Subject, to: Status, present: string | null): readonly Subject[] {
  if (present === to || !isByVotes(to) || verdict(now.number) === to) return [now];
  return [now, ...oneVoteAway(now, to)];
}

/** The message with one vote more, less or reversed, if the votes then result in this status. */
function oneVoteAway(now: Subject, said: Verdict): readonly Subject[] {
  const { verifies, refutes } = now.number;
  return VOTE_STEPS.map(([v, r]) => ({ verifies: verifies + v, refutes: refutes + r, withdrawn: v > 0 }))
    .filter((votes) => votes.verifies >= 0 && votes.refutes >= 0 && verdict(votes) === said)
    .map(({ withdrawn, ...votes }) => ({
      ...now,
      number: { ...now.number, ...votes },
      // The log does not say whose vote was withdrawn: it may have been anybody's.
      has: (field: SetField, value: string) => (withdrawn && field === "verifiedBy") || now.has(field, value),
    }));
}
