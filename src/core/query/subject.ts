// A message as conditions see it: from what the board knows about it, or from the trace it left.
import { type Gone, type LabelField, labelsOf, type Standing } from "../message/standing.ts";
import { verdict } from "../message/status.ts";
import { labelMark, type Trace } from "../message/trace.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Status } from "../protocol/vocabulary.ts";
import { LABEL_FIELD, type SetField } from "./condition.ts";
import type { Subject } from "./predicate.ts";
import { messageTerms } from "./terms.ts";

export interface SubjectFacts {
  readonly standing: Standing;
  readonly payload: Payload;
  readonly authorSince: number;
  /** Agents whose standing vote on it is verifies. */
  readonly verifiedBy: readonly string[];
}

/** `status` is the one to judge by: the present one, or one it had. */
export function subjectOf({ standing, payload, authorSince, verifiedBy }: SubjectFacts, status: Status): Subject {
  const { seq, kind, root, author, to, bits, verifies, refutes, receivedAt, expiresAt, hasData, hasAttachment, assisted, repliedTo, lang } =
    standing;
  const { tags = [], needs = [], offers = [], refs = [] } = payload;
  const sets: Record<SetField, readonly string[]> = {
    tags,
    needs,
    offers,
    repliedTo,
    reaches: to === null ? repliedTo : [to, ...repliedTo],
    verifiedBy,
  };
  return {
    text: { kind, status, root, author, to },
    // What is not leased is in no range.
    number: { seq, bits, verifies, refutes, receivedAt, expiresAt, authorSince, leaseUntil: standing.leaseUntil ?? Number.NaN },
    flag: { hasData, hasAttachment, assisted, superseded: standing.supersededBy !== null, addressed: to !== null },
    has: (field, value) => sets[field].includes(value),
    language: lang,
    refs,
    terms: () => messageTerms(standing, standing, labelsOf(payload).map(labelMark), refs),
  };
}

const LABEL_FIELDS: Partial<Record<SetField, LabelField>> = LABEL_FIELD;

/** A gone message by its trace; labels are recognised by their marks. */
export function subjectOfTrace(gone: Gone, trace: Trace, authorSince: number): Subject {
  const { to, repliedTo, bits, verifies, refutes, expiresAt, hasData, hasAttachment, assisted, status, lang, marks, refs, verifiedBy } =
    trace;
  const { seq, kind, root, author, receivedAt } = gone;
  return {
    text: { kind, status, root, author, to },
    number: { seq, bits, verifies, refutes, receivedAt, expiresAt, authorSince, leaseUntil: Number.NaN },
    flag: { hasData, hasAttachment, assisted, superseded: false, addressed: to !== null },
    has(field, value) {
      const labels = LABEL_FIELDS[field];
      if (labels !== undefined) return marks.includes(labelMark({ field: labels, label: value }));
      if (field === "verifiedBy") return verifiedBy.includes(value);
      return repliedTo.includes(value) || (field === "reaches" && to === value);
    },
    language: lang,
    refs,
    terms: () => messageTerms(gone, trace, marks, refs),
  };
}

/** One vote cast, withdrawn or turned round. */
const VOTE_STEPS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, -1],
  [-1, 1],
] as const;

/**
 * The message as it may have been before its status changed, given as it is now but with the old status.
 * The log does not say what changed it; where it may have been a vote, the counts were one vote away.
 */
export function subjectsBefore(now: Subject, from: Status, to: Status): readonly Subject[] {
  const byVotes = (status: Status): boolean => status === "verified" || status === "disputed";
  if (!byVotes(from) && !byVotes(to)) return [now];
  const said = byVotes(from) ? from : "none";
  const { verifies, refutes } = now.number;
  const others = VOTE_STEPS.map(([v, r]) => ({ verifies: verifies + v, refutes: refutes + r, withdrawn: v > 0 })).filter(
    (votes) => votes.verifies >= 0 && votes.refutes >= 0 && verdict(votes) === said,
  );
  return [
    now,
    ...others.map(({ withdrawn, ...votes }) => ({
      ...now,
      number: { ...now.number, ...votes },
      // Whose vote was withdrawn is not known any more: it may have been anybody's.
      has: (field: SetField, value: string) => (withdrawn && field === "verifiedBy") || now.has(field, value),
    })),
  ];
}
