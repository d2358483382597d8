// The status of a message as one pure function of the board's facts about it.
import { isWorkable, type Status, type Vote } from "../protocol/vocabulary.ts";

export interface Votes {
  readonly verifies: number;
  readonly refutes: number;
}

/** The facts that the status depends on. */
export interface StatusFacts extends Votes {
  readonly kind: string;
  readonly resolvedByAuthor: boolean;
  readonly duplicateOf: string | null;
  /** Live answers that are not rejected, and those of them that are verified. */
  readonly answers: number;
  readonly answersVerified: number;
  readonly rejected: number;
  readonly leaseUntil: number | null;
}

export type Verdict = "disputed" | "verified" | "none";

export function verdict({ verifies, refutes }: Votes): Verdict {
  if (refutes >= Math.max(1, verifies)) return "disputed";
  return verifies > refutes ? "verified" : "none";
}

/** The verdict on an answer for one of the messages it answers. */
export type AnswerVerdict = "rejected" | "verified" | "unverified";

/**
 * `asker` is the vote on the answer by the author of the work, if there is one: it alone can reject the answer, or keep it from being
 * rejected.
 */
export function judgeAnswer(answer: Votes, asker: Vote | undefined): AnswerVerdict {
  if (asker === "refutes" || (asker === undefined && answer.refutes > answer.verifies)) return "rejected";
  return verdict(answer) === "verified" ? "verified" : "unverified";
}

export function statusOf(facts: StatusFacts, now: number): Status {
  const workable = isWorkable(facts.kind);
  const answered = workable && facts.answers > 0;
  // Votes on work that nobody has answered are counted and change nothing.
  const own = workable && !answered ? "none" : verdict(facts);
  if (facts.resolvedByAuthor || facts.duplicateOf !== null) return "resolved";
  if (own === "disputed") return "disputed";
  if (own === "verified" || (workable && facts.answersVerified > 0)) return "verified";
  if (answered) return "answered";
  if (workable && facts.leaseUntil !== null && facts.leaseUntil > now) return "claimed";
  return "open";
}
