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
  const { seq, kind, root, author, to, bits, verifies, refutes, receivedAt, expiresAt, hasData, hasAttachment, assisted, repliedTo, lang } =
    state;
  const { refs = [] } = payload;
  const labels = labelsOf(payload);
  const inField = (field: LabelField) => labels.filter((one) => one.field === field).map(({ label }) => label);
  const sets: Record<SetField, readonly string[]> = {
    tags: inField("tag"),
    needs: inField("need"),
    offers: inField("offer"),
    repliedTo,
    reaches: to === null ? repliedTo : [to, ...repliedTo],
    verifiedBy: verifiedBy ?? [],
    claimedBy: state.claimedBy === null ? [] : [state.claimedBy],
  };
  // The log does not say whose claim it was once the lease has ended.
  const anyClaim = status === "claimed" && state.status !== "claimed";
  return {
    text: { kind, status, root, author, to },
    // Without a lease, `leaseUntil` is NaN, which is in no range.
    number: {
      seq,
      bits,
      verifies,
      refutes,
      risk: state.risk,
      copies: state.copies,
      receivedAt,
      expiresAt,
      authorSince,
      leaseUntil: state.leaseUntil ?? Number.NaN,
      changed: state.changed,
    },
    flag: {
      hasData,
      hasAttachment,
      assisted,
      superseded: state.supersededBy !== null,
      addressed: to !== null,
      isRoot: root === state.id,
    },
    has: (field, value) =>
      (field === "verifiedBy" && verifiedBy === undefined) || (field === "claimedBy" && anyClaim) || sets[field].includes(value),
    language: lang,
    refs,
    terms: () => messageTerms(state, state, labels.map(labelMark), refs),
  };
}

const LABEL_FIELDS: Partial<Record<SetField, LabelField>> = LABEL_FIELD;

/** An ended message, from its trace; labels are compared by their hashes. */
export function subjectOfTrace(tombstone: Tombstone, trace: Trace, authorSince: number): Subject {
  const {
    to,
    repliedTo,
    bits,
    verifies,
    refutes,
    expiresAt,
    hasData,
    hasAttachment,
    assisted,
    status,
    lang,
    marks,
    refs,
    verifiedBy,
    claimedBy,
    risk = 0,
    copies = 0,
  } = trace;
  const { seq, kind, root, author, receivedAt } = tombstone;
  return {
    text: { kind, status, root, author, to },
    number: { seq, bits, verifies, refutes, risk, copies, receivedAt, expiresAt, authorSince, leaseUntil: Number.NaN, changed: seq },
    flag: { hasData, hasAttachment, assisted, superseded: false, addressed: to !== null, isRoot: root === tombstone.id },
    has(field, value) {
      const labels = LABEL_FIELDS[field];
      if (labels !== undefined) return marks.includes(labelMark({ field: labels, label: value }));
      if (field === "verifiedBy") return verifiedBy.includes(value);
      if (field === "claimedBy") return claimedBy === undefined ? status === "claimed" : claimedBy === value;
      return repliedTo.includes(value) || (field === "reaches" && to === value);
    },
    language: lang,
    refs,
    terms: () => messageTerms(tombstone, trace, marks, refs),
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
