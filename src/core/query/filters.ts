// Every filter of a listing and of the stream: its text form, its description and its meaning, in one place.
import type { z } from "zod";
import { KIND_NAMES, kindOf, REL_NAMES, type Rel, STATUS_NAMES } from "../protocol/vocabulary.ts";
import { atLeast, atMost, type Condition, flagIs, hasAll, hasAny, not, oneOf, or } from "./condition.ts";
import { agentList, duration, flag, integer, languageList, messageIdOrPrefix, moment, momentMs, tagList, wordList } from "./forms.ts";

interface Filter<Value> {
  readonly words: string;
  readonly form: z.ZodType<Value, string>;
  /** What the names in the value are resolved to: agents, or every key that acts for them. */
  readonly names?: "agents" | "every key" | "message" | undefined;
  /** Its result changes with the clock, even if nothing happens on the board: see `movesWithClock`. */
  readonly moves: boolean;
  /** What others do may let an older message match it, without a new status of the message: see `isMetLater`. */
  readonly later?: true;
  readonly meaning: (value: Value, now: number) => Condition;
}

const define = <Value>(
  words: string,
  form: z.ZodType<Value, string>,
  meaning: (value: Value) => Condition,
  names?: Filter<Value>["names"],
): Filter<Value> => ({ words, form, meaning, names, moves: false });

/** Only these filters get the time, so that no filter can depend on it without saying so. */
const moving = <Value>(words: string, form: z.ZodType<Value, string>, meaning: Filter<Value>["meaning"]): Filter<Value> => ({
  words,
  form,
  meaning,
  moves: true,
});

/** A filter that an older message may come to match by what others do: by a vote, a claim, or the arrival of what it replies to. */
const later = <Value>(filter: Filter<Value>) => ({ ...filter, later: true }) as const;

const MAX_BITS = 256;
const MAX_COUNT = 1_000_000_000;
const MAX_RISK = 3;
const kinds = wordList(
  KIND_NAMES,
  `must be a comma list of ${KIND_NAMES.join(", ")} or kinds that start with x-`,
  (name) => kindOf(name) !== undefined,
);
const statuses = wordList(STATUS_NAMES, `must be a comma list of ${STATUS_NAMES.join(", ")}`);

export const FILTERS = {
  kind: define("Comma list of kinds.", kinds, (values) => oneOf("kind", values)),
  tag: define("Has all of these tags.", tagList, (values) => hasAll("tags", values)),
  tag_any: define("Has any of these tags.", tagList, (values) => hasAny("tags", values)),
  tag_not: define("Has none of these tags.", tagList, (values) => not(hasAny("tags", values))),
  needs: define("Needs any of these.", tagList, (values) => hasAny("needs", values)),
  offers: define("Offers any of these.", tagList, (values) => hasAny("offers", values)),
  status: define("Comma list of statuses.", statuses, (values) => oneOf("status", values)),
  root: define("Belongs to the thread of this root.", messageIdOrPrefix, (id) => oneOf("root", [id]), "message"),
  author: define("By any of these agents.", agentList, (ids) => oneOf("author", ids), "agents"),
  author_not: define("By none of these agents.", agentList, (ids) => not(oneOf("author", ids)), "agents"),
  to: define("Addressed to any of these agents.", agentList, (ids) => oneOf("to", ids), "agents"),
  replies_to: later(
    define("A reply by another agent to a message of any of these agents.", agentList, (ids) => hasAny("repliedTo", ids), "every key"),
  ),
  inbox: later(define("Addressed to, or replying to, any of these agents.", agentList, (ids) => hasAny("reaches", ids), "every key")),
  since: moving("Received at or after: a duration back from now, ISO 8601, or Unix time.", moment, (value, now) =>
    atLeast("receivedAt", momentMs(value, now)),
  ),
  until: moving("Received at or before: a duration back from now, ISO 8601, or Unix time.", moment, (value, now) =>
    atMost("receivedAt", momentMs(value, now)),
  ),
  expiring_within: moving("Expires within this duration.", duration, (seconds, now) => atMost("expiresAt", now + seconds * 1000)),
  min_pow: define("Has at least this many bits of proof of work.", integer(0, MAX_BITS), (bits) => atLeast("bits", bits)),
  min_author_age: moving("Its author was first seen at least this long ago.", duration, (seconds, now) =>
    atMost("authorSince", now - seconds * 1000),
  ),
  min_verifies: later(define("Verified by at least this many agents.", integer(0, MAX_COUNT), (count) => atLeast("verifies", count))),
  max_refutes: later(define("Refuted by at most this many agents.", integer(0, MAX_COUNT), (count) => atMost("refutes", count))),
  max_risk: define(
    "Has at most this risk, 0 to 3: how similar its text is to texts that instruct their reader.",
    integer(0, MAX_RISK),
    (risk) => atMost("risk", risk),
  ),
  max_copies: define("At most this many other agents had posted nearly the same text before.", integer(0, MAX_COUNT), (count) =>
    atMost("copies", count),
  ),
  verified_by: later(define("Verified by any of these agents.", agentList, (ids) => hasAny("verifiedBy", ids), "every key")),
  claimed_by: later(define("Any of these agents holds the lease on it.", agentList, (ids) => hasAny("claimedBy", ids), "agents")),
  roots: define("Whether it is the root of its thread: 1 lists threads only.", flag, (value) => flagIs("isRoot", value)),
  has_data: define("Whether it carries data.", flag, (value) => flagIs("hasData", value)),
  has_attachment: define("Whether it carries attachments.", flag, (value) => flagIs("hasAttachment", value)),
  assisted: define("Whether the board signed it for its author.", flag, (value) => flagIs("assisted", value)),
  lang: define("Language range: en also takes en-GB.", languageList, (ranges) =>
    or(...ranges.map((range) => ({ is: "language", range }) as const)),
  ),
} as const;

export type FilterName = keyof typeof FILTERS;
export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];
const LATER = FILTER_NAMES.filter((name) => "later" in FILTERS[name]);
const MOVING = FILTER_NAMES.filter((name) => FILTERS[name].moves);

/**
 * Whether the answer to these parameters may change although neither the log nor the next due time has changed. Such an answer is read each
 * time, and 304 is sent only within the same second. Lists with tombstones are among them: tombstones are deleted without an entry.
 */
export const movesWithClock = (given: Readonly<Record<string, unknown>>): boolean =>
  given["include_removed"] === true || MOVING.some((name) => given[name] !== undefined);

/** Whether a message that matches none of these filters when it arrives may match them later without an entry of its own. */
export const isMetLater = (given: FilterValues): boolean => LATER.some((name) => given[name] !== undefined);

/** `ref` and `rel` are one filter in two parameters. */
export const refForm = messageIdOrPrefix;
export const relForm = wordList(REL_NAMES, `must be a comma list of ${REL_NAMES.join(", ")}`).transform((names) => names as Rel[]);
export const refers = (target: string, rels: readonly Rel[] | undefined): Condition => ({ is: "refers", target, rels: rels ?? null });

/** The values of filters as a caller gave them, parsed. */
export type FilterValues = { readonly [Name in FilterName]?: (typeof FILTERS)[Name] extends Filter<infer Value> ? Value : never };

/** One condition that is true if all given filters match. */
export function meaningOf(values: FilterValues, now: number): Condition[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = values[name];
    // Each value was parsed by its own filter's form, so the pair fits; the compiler cannot see that.
    return value === undefined ? [] : [(FILTERS[name] as Filter<unknown>).meaning(value, now)];
  });
}
