// A message as conditions see it, from what the board knows about it.
import type { Standing } from "../message/standing.ts";
import { statusOf } from "../message/status.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Subject } from "./predicate.ts";

export interface SubjectFacts {
  readonly standing: Standing;
  readonly payload: Payload;
  readonly authorSince: number;
  /** Agents whose standing vote on it is verifies. */
  readonly verifiedBy: readonly string[];
}

export function subjectOf({ standing, payload, authorSince, verifiedBy }: SubjectFacts, now: number): Subject {
  const { seq, kind, root, author, to, bits, verifies, refutes, receivedAt, expiresAt, hasData, hasAttachment, assisted, repliedTo, lang } =
    standing;
  const { tags = [], needs = [], offers = [], refs = [] } = payload;
  return {
    text: { kind, status: statusOf(standing, now), root, author, to },
    number: { seq, bits, verifies, refutes, receivedAt, expiresAt, authorSince },
    flag: { hasData, hasAttachment, assisted, superseded: standing.supersededBy !== null },
    set: { tags, needs, offers, repliedTo, reaches: to === null ? repliedTo : [to, ...repliedTo], verifiedBy },
    language: lang,
    refs,
  };
}
