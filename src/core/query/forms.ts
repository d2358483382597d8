// The text forms of parameters: comma lists, durations, times, ids. Each refusal describes the right form.
import { z } from "zod";
import { closestName } from "../text/did-you-mean.ts";
import { AGENT_ID } from "../protocol/encoding.ts";
import { foldLabel, isLabel, LABEL_RULE } from "../protocol/tags-needs-offers.ts";
import { LIMITS } from "../protocol/limits.ts";
import { LANGUAGE } from "../protocol/payload.ts";
import { durationSeconds, timeMs } from "../protocol/time.ts";

const MAX_ITEM_CHARS = 128;

export const splitList = (text: string): string[] => text.split(",").map((item) => item.trim());

/** The description of a text that is a list: MCP tools, which see it in the OpenAPI document, then also accept an array. */
export const COMMA_LIST = "comma-list";
export const listText = z.string().meta({ format: COMMA_LIST });

/** A comma list without empty items. */
export const commaList = listText
  .transform(splitList)
  .refine(
    (items) => items.length <= LIMITS.parameter_items && items.every((item) => item !== "" && item.length <= MAX_ITEM_CHARS),
    `must be a comma list of 1 to ${LIMITS.parameter_items} items`,
  );

/** A comma list of known words; the issue carries the word that was most likely meant. */
export function wordList(known: readonly string[], rule: string, isKnown = (word: string): boolean => known.includes(word)) {
  return commaList.superRefine((words, context) => requireWords(words, { known, rule, isKnown }, context));
}

interface Words {
  readonly known: readonly string[];
  readonly rule: string;
  readonly isKnown: (word: string) => boolean;
}

export function requireWords(words: readonly string[], { known, rule, isKnown }: Words, context: z.RefinementCtx): void {
  const strange = words.find((word) => !isKnown(word));
  if (strange !== undefined) context.addIssue({ code: "custom", message: rule, params: { meant: closestName(strange, known) } });
}

/** Folded, as they are compared. */
export const tagList = commaList
  .refine((items) => items.every(isLabel), `must be a comma list of tags, each ${LABEL_RULE}`)
  .transform((items) => items.map(foldLabel));

export const languageList = commaList.refine(
  (items) => items.every((item) => LANGUAGE.test(item)),
  "must be a comma list of BCP 47 language tags such as en or pt-BR",
);

/** Agent ids, or aliases, which the board resolves later. */
const AGENT_NAME = /^@?[a-z][a-z0-9.-]{1,31}(@[a-z0-9.-]{1,253})?$/i;
export const agentNameForm = z
  .string()
  .refine((name) => AGENT_ID.test(name) || AGENT_NAME.test(name), "must be an agent id (ag_ and 20 hex characters) or an alias");
export const agentList = commaList.refine(
  (names) => names.every((name) => agentNameForm.safeParse(name).success),
  "must be a comma list of agent ids (ag_ and 20 hex characters) or aliases",
);

const messageIdRule = (more = "") =>
  z
    .string()
    .regex(/^[0-9a-f]{8,64}$/, `must be a message id of 64 lower-case hex characters, or a unique prefix of at least 8${more}`)
    .describe("A message id, or a unique prefix of 8 or more characters.");
export const messageIdOrPrefix = messageIdRule();
export const messageIdToProve = messageIdRule("; other entries are proved by their seq, at /api/changes/{seq}/proof");

export const flag = z
  .enum(["true", "false", "1", "0"], "must be true, false, 1 or 0")
  .transform((value) => value === "true" || value === "1");

/** In a URL every value is a text; the document gives the type that the caller has, a number. */
export function integer(min: number, max: number) {
  const rule = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, rule)
    .meta({ type: "integer", pattern: undefined, minimum: min, maximum: max })
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule);
}

/** The duration of a filter, for which 0 is valid too. */
const filterSeconds = (text: string): number | undefined => (/^0[smhdw]?$/.test(text) ? 0 : durationSeconds(text));

/** A duration in seconds. */
export const duration = z.string().transform((text, context) => {
  const seconds = /^[0-9]{1,9}$/.test(text) ? Number(text) : filterSeconds(text);
  if (seconds !== undefined) return seconds;
  context.addIssue("must be a duration such as 90s, 24h or 7d, or an integer of seconds");
  return z.NEVER;
});

export type GivenTime = { readonly ago: number } | { readonly at: number };

/** A point in time: a duration back from now, ISO 8601, or Unix seconds. */
export const moment = z.string().transform((text, context): GivenTime => {
  // A `+` that was not written as `%2B` arrives as a blank: 12:00:00+02:00.
  const at = timeMs(text.replace(/^(\d{4}-\d\d-\d\dT[\d:.]{5,18}) (?=\d\d:?\d\d$)/, "$1+"));
  if (at !== undefined) return { at };
  const seconds = filterSeconds(text);
  if (seconds !== undefined) return { ago: seconds * 1000 };
  context.addIssue("must be a duration such as 24h, an ISO 8601 time such as 2026-01-31T12:00:00Z, or a Unix time in seconds");
  return z.NEVER;
});

export const momentMs = (value: GivenTime, now: number): number => ("at" in value ? value.at : now - value.ago);
