// A reader's filter: which events concern it, and the terms by which filters are indexed.
import { and, type Condition } from "../../core/query/condition.ts";
import { withoutLabels } from "../../core/query/erased.ts";
import { holds } from "../../core/query/predicate.ts";
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

/** What is known of the texts of messages, so that their words are not made for nothing. */
export interface KnownTexts {
  /** Whether the text filter has matched the message: its words may be erased by now. */
  knew(message: number): boolean;
  /** Whether it matches; `look` looks at the words. */
  matches(message: number, look: () => boolean): boolean;
}

/** Nothing: for a filter that does not match text. */
export const NO_TEXTS: KnownTexts = { knew: () => false, matches: (_message, look) => look() };

export interface LiveFilter {
  /** The same query has the same key. */
  readonly key: string;
  /** An event without any of these terms cannot concern it; undefined if every event may. */
  readonly terms: readonly string[] | undefined;
  readonly usesVotes: boolean;
  readonly text: TextFilter;
  /** For a live event. */
  concerns(logEvent: LogEvent, texts: KnownTexts): boolean;
  /** For a replayed event. Erased words and labels count as a match, so that the result does not reveal them. */
  mayConcern(logEvent: LogEvent, texts: KnownTexts): boolean;
  readonly matchesText: ((document: Searched, message: number) => boolean) | undefined;
}

/** `conditionsAt` returns the conditions at a time: some, such as an author's age, depend on it. */
export const liveFilter = (key: string, conditionsAt: (now: number) => readonly Condition[], text: TextFilter, clock: Clock): LiveFilter =>
  new QueryFilter(key, conditionsAt, text, clock);

/** A class, because thousands of filters look at every event: its methods are compiled once for all of them. */
class QueryFilter implements LiveFilter {
  readonly key: string;
  readonly terms: readonly string[] | undefined;
  readonly usesVotes: boolean;
  readonly text: TextFilter;
  readonly matchesText: LiveFilter["matchesText"];
  readonly #conditionsAt: (now: number) => readonly Condition[];
  readonly #clock: Clock;
  /** Agents whose inbox it follows. */
  readonly #followed: ReadonlySet<string>;
  #madeAt: number;
  /** What must hold for a message, and for the rest of an erased one. */
  #whole: Condition;
  #erased: Condition;

  constructor(key: string, conditionsAt: (now: number) => readonly Condition[], text: TextFilter, clock: Clock) {
    this.#madeAt = clock.now();
    const conditions = conditionsAt(this.#madeAt);
    this.key = key;
    this.terms = conditionTerms(conditions);
    this.usesVotes = conditions.some(usesVotes);
    this.text = text;
    this.matchesText = textMatcher(text);
    this.#conditionsAt = conditionsAt;
    this.#clock = clock;
    this.#followed = new Set(conditions.flatMap(addressees));
    this.#whole = and(...conditions);
    this.#erased = withoutLabels(this.#whole);
  }

  /** If an event concerns several messages, one match is enough; an acknowledgement concerns the readers who follow the agent's inbox. */
  concerns(logEvent: LogEvent, texts: KnownTexts): boolean {
    const { reader, named } = logEvent;
    if (reader !== undefined) return this.#followed.has(reader);
    this.#renew();
    return named === undefined ? this.#concerned(logEvent, texts) : named.some((one) => this.#concerned(one, texts));
  }

  mayConcern(logEvent: LogEvent, texts: KnownTexts): boolean {
    const isErased = logEvent.reader === undefined && logEvent.named === undefined && logEvent.document === undefined;
    if (!isErased) return this.concerns(logEvent, texts);
    this.#renew();
    return fits(this.#erased, logEvent.subjects);
  }

  #concerned({ subjects, message, document }: FilteredMessage, texts: KnownTexts): boolean {
    if (!fits(this.#whole, subjects)) return false;
    const { matchesText } = this;
    if (matchesText === undefined) return true;
    return document === undefined ? texts.knew(message) : texts.matches(message, () => matchesText(document(), message));
  }

  #renew(): void {
    const now = this.#clock.now();
    if (now - this.#madeAt < REMAKE_MS) return;
    this.#madeAt = now;
    this.#whole = and(...this.#conditionsAt(now));
    this.#erased = withoutLabels(this.#whole);
  }
}

function fits(condition: Condition, subjects: FilteredMessage["subjects"]): boolean {
  for (const subject of subjects) if (holds(condition, subject)) return true;
  return subjects.length === 0;
}

function textMatcher({ query, near, except, vectorOf }: TextFilter): LiveFilter["matchesText"] {
  if (query === undefined && near === undefined) return undefined;
  return (document, message) =>
    message !== except &&
    (query === undefined || matches(query, document)) &&
    (near === undefined || likeness(near, document, vectorOf) >= NEAR_THRESHOLD);
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
    concerns: (logEvent, texts) => filters.some((one) => one.concerns(logEvent, texts)),
    mayConcern: (logEvent, texts) => filters.some((one) => one.mayConcern(logEvent, texts)),
  };
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
