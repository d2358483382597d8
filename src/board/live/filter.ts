// A reader's filter: which events concern it, and the terms by which filters are indexed.
import { and, type Condition } from "../../core/query/condition.ts";
import { withoutLabels } from "../../core/query/erased.ts";
import { type Predicate, predicate } from "../../core/query/predicate.ts";
import { conditionTerms } from "../../core/query/filter-index-terms.ts";
import { matches, type Query, type Searched } from "../../core/search/query.ts";
import type { Document } from "../../core/search/document.ts";
import { likeness } from "../../core/search/meaning/asked-meaning.ts";
import { type Near, NEAR_THRESHOLD } from "../../core/search/similarity.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FilteredMessage, LogEvent } from "./log-event.ts";

const REMAKE_MS = 1000;

export interface TextFilter {
  readonly query: Query | undefined;
  readonly near: Near | undefined;
  /** The message that `near` names: it does not match itself. */
  readonly except: number | undefined;
  /** The meaning of a message, if `near` has one. */
  readonly vectorOf: (document: Document) => Int8Array;
}

export interface LiveFilter {
  /** The same query has the same key. */
  readonly key: string;
  /** An event without any of these terms cannot concern it; undefined if every event may. */
  readonly terms: readonly string[] | undefined;
  readonly usesVotes: boolean;
  readonly text: TextFilter;
  /** For a live event. `knew`: whether the text filter matched the message before its words were erased. */
  concerns(logEvent: LogEvent, knew: (message: number) => boolean): boolean;
  /** For a replayed event. Erased words and labels count as a match, so that the result does not reveal them. */
  mayConcern(logEvent: LogEvent): boolean;
  readonly matchesText: ((document: Searched, message: number) => boolean) | undefined;
}

/** `conditionsAt` returns the conditions at a time: some, such as an author's age, depend on it. */
export function liveFilter(key: string, conditionsAt: (now: number) => readonly Condition[], text: TextFilter, clock: Clock): LiveFilter {
  let madeAt = clock.now();
  const conditions = conditionsAt(madeAt);
  let current = judges(conditions);
  const judgeOf = (kind: keyof Judges): Predicate => {
    const now = clock.now();
    if (now - madeAt >= REMAKE_MS) {
      madeAt = now;
      current = judges(conditionsAt(now));
    }
    return current[kind];
  };
  const fits = ({ subjects }: FilteredMessage, kind: keyof Judges): boolean => subjects.length === 0 || subjects.some(judgeOf(kind));
  const { query, near, except, vectorOf } = text;
  const matchesText =
    query === undefined && near === undefined
      ? undefined
      : (document: Searched, message: number): boolean =>
          message !== except &&
          (query === undefined || matches(query, document)) &&
          (near === undefined || likeness(near, document, vectorOf) >= NEAR_THRESHOLD);
  const concerned = (one: FilteredMessage, knew: (message: number) => boolean): boolean => {
    if (!fits(one, "whole")) return false;
    if (matchesText === undefined) return true;
    return one.document === undefined ? knew(one.message) : matchesText(one.document(), one.message);
  };
  const maybe = (one: FilteredMessage): boolean => {
    if (one.document === undefined) return fits(one, "erased");
    return fits(one, "whole") && (matchesText?.(one.document(), one.message) ?? true);
  };
  /** If an event concerns several messages, one match is enough; an acknowledgement concerns the readers who follow the agent's inbox. */
  const any = ({ reader, named, ...one }: LogEvent, judge: (one: FilteredMessage) => boolean): boolean =>
    reader === undefined ? (named ?? [one]).some(judge) : followed.has(reader);
  const followed = new Set(conditions.flatMap(addressees));
  return {
    key,
    terms: conditionTerms(conditions),
    usesVotes: conditions.some(usesVotes),
    text,
    matchesText,
    concerns: (logEvent, knew) => any(logEvent, (one) => concerned(one, knew)),
    mayConcern: (logEvent) => any(logEvent, maybe),
  };
}

/** Matches what any of these filters matches; with several filters, none may be a text filter. */
export function eitherOf(filters: readonly LiveFilter[]): LiveFilter {
  const [first, ...others] = filters;
  if (first === undefined) throw new Error("There is no filter.");
  if (others.length === 0) return first;
  const terms = filters.map((one) => one.terms);
  return {
    key: filters.map(({ key }) => key).join(" or "),
    terms: terms.includes(undefined) ? undefined : terms.flatMap((some) => some ?? []),
    usesVotes: filters.some((one) => one.usesVotes),
    text: first.text,
    matchesText: undefined,
    concerns: (logEvent, knew) => filters.some((one) => one.concerns(logEvent, knew)),
    mayConcern: (logEvent) => filters.some((one) => one.mayConcern(logEvent)),
  };
}

/** The conditions over a message, and over the rest of an erased one. */
interface Judges {
  readonly whole: Predicate;
  readonly erased: Predicate;
}

function judges(conditions: readonly Condition[]): Judges {
  const all = and(...conditions);
  return { whole: predicate(all), erased: predicate(withoutLabels(all)) };
}

function usesVotes(condition: Condition): boolean {
  if (condition.is === "and" || condition.is === "or") return condition.of.some(usesVotes);
  if (condition.is === "not") return usesVotes(condition.of);
  return (condition.is === "hasAny" || condition.is === "hasAll") && condition.field === "verifiedBy";
}

/** Agents whose inbox the filter follows, by addressee or reach. */
function addressees(condition: Condition): readonly string[] {
  if (condition.is === "and" || condition.is === "or") return condition.of.flatMap(addressees);
  const isOf = (condition.is === "oneOf" && condition.field === "to") || (condition.is === "hasAny" && condition.field === "reaches");
  return isOf ? condition.values : [];
}
