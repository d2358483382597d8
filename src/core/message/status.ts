// The status of a message as one pure function of what the board knows about it.
import { isWorkable, type Status } from "../protocol/vocabulary.ts";

export interface Votes {
  readonly verifies: number;
  readonly refutes: number;
}

/** What status depends on. Answers are counted by what their own votes say. */
export interface StatusFacts extends Votes {
  readonly kind: string;
  readonly resolvedByAuthor: boolean;
  readonly duplicateOf: string | null;
  readonly answers: number;
  readonly answersVerified: number;
  readonly answersDisputed: number;
  readonly leaseUntil: number | null;
}

export type Verdict = "disputed" | "verified" | "none";

export function verdict({ verifies, refutes }: Votes): Verdict {
  if (refutes >= Math.max(1, verifies)) return "disputed";
  return verifies > refutes ? "verified" : "none";
}

export function statusOf(facts: StatusFacts, now: number): Status {
  const workable = isWorkable(facts.kind);
  const own = verdict(facts);
  if (facts.resolvedByAuthor || facts.duplicateOf !== null) return "resolved";
  if (own === "disputed" || (workable && facts.answers > 0 && facts.answersDisputed === facts.answers)) return "disputed";
  if (own === "verified" || (workable && facts.answersVerified > 0)) return "verified";
  if (workable && facts.answers > 0) return "answered";
  if (workable && facts.leaseUntil !== null && facts.leaseUntil > now) return "claimed";
  return "open";
}
