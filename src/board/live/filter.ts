// A reader's filter: whom an occurrence concerns, and by which words the crowd of filters is indexed.
import { and, type Condition } from "../../core/query/condition.ts";
import { predicate, type Subject } from "../../core/query/predicate.ts";
import { conditionTerms } from "../../core/query/terms.ts";
import type { Document } from "../../core/search/document.ts";
import { matches, type Query } from "../../core/search/query.ts";
import { type Near, NEAR_THRESHOLD, nearScore } from "../../core/search/similarity.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Occurrence } from "./occurrence.ts";

const REMAKE_MS = 1000;

export interface TextFilter {
  readonly query: Query | undefined;
  readonly near: Near | undefined;
  /** The message that `near` names is not similar to itself. */
  readonly except: number | undefined;
}

export interface LiveFilter {
  /** The same question has the same key. */
  readonly key: string;
  /** An occurrence without any of these terms cannot concern it; none where every occurrence may. */
  readonly terms: readonly string[] | undefined;
  readonly usesVotes: boolean;
  readonly text: TextFilter;
  /** `knew`: whether the text once matched a message whose words are gone. */
  concerns(occurrence: Occurrence, knew: (message: number) => boolean): boolean;
  readonly matchesText: ((document: Document, message: number) => boolean) | undefined;
}

/** `conditionsAt` gives the conditions at a time: some, such as an author's age, move with the clock. */
export function liveFilter(key: string, conditionsAt: (now: number) => readonly Condition[], text: TextFilter, clock: Clock): LiveFilter {
  let madeAt = clock.now();
  const conditions = conditionsAt(madeAt);
  let current = predicate(and(...conditions));
  const holds = (subject: Subject): boolean => {
    const now = clock.now();
    if (now - madeAt >= REMAKE_MS) {
      madeAt = now;
      current = predicate(and(...conditionsAt(now)));
    }
    return current(subject);
  };
  const { query, near, except } = text;
  const matchesText =
    query === undefined && near === undefined
      ? undefined
      : (document: Document, message: number): boolean =>
          message !== except &&
          (query === undefined || matches(query, document)) &&
          (near === undefined || nearScore(near, document) >= NEAR_THRESHOLD);
  return {
    key,
    terms: conditionTerms(conditions),
    usesVotes: conditions.some(usesVotes),
    text,
    matchesText,
    concerns({ subjects, document, message }, knew) {
      if (subjects.length > 0 && !subjects.some(holds)) return false;
      if (matchesText === undefined) return true;
      return document === undefined ? knew(message) : matchesText(document(), message);
    },
  };
}

function usesVotes(condition: Condition): boolean {
  if (condition.is === "and" || condition.is === "or") return condition.of.some(usesVotes);
  if (condition.is === "not") return usesVotes(condition.of);
  return (condition.is === "hasAny" || condition.is === "hasAll") && condition.field === "verifiedBy";
}
