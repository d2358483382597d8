// Parameter forms that several operations share, on top of the forms of the filters.
import { z } from "zod";
import { Refusal } from "../core/errors.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { flag, integer, listText, requireWords, splitList } from "../core/query/forms.ts";
import { INCLUDES, type Include } from "../core/view/record.ts";

/** A comma list of what a view includes; the empty list includes nothing. */
export function includeList<const Name extends Include>(allowed: readonly Name[] = INCLUDES as unknown as readonly Name[]) {
  const isKnown = (name: string): boolean => (allowed as readonly string[]).includes(name);
  return listText
    .transform((value) => (value === "" ? [] : splitList(value)))
    .superRefine((names, context) =>
      requireWords(names, { known: allowed, rule: `must be a comma list of ${allowed.join(", ")}`, isKnown }, context),
    )
    .transform((names) => new Set<Include>(names as Name[]));
}

export const format = z
  .enum(["json", "md"], "must be json or md")
  .optional()
  .describe("json unless given; md is Markdown for a model to read.");

/** Of everything that is written. */
export const receipt = flag
  .default(false)
  .describe("1: the answer holds a proof that the log has it, which anybody can check offline; it may take a second.");

/** Reading with care: words that cannot be taken for the reader's own, or no words at all. */
export const careShape = {
  mark: flag
    .optional()
    .describe("With format=md: the words of strangers are joined by a character made for this answer instead of blanks."),
  view: z
    .enum(["full", "skeleton"], "must be full or skeleton")
    .optional()
    .describe("skeleton leaves out every word of a stranger: ids, kinds, statuses, numbers."),
};

/** Following a list: what came or changed after an entry, and waiting for it. */
export const followShape = {
  after_seq: integer(0, Number.MAX_SAFE_INTEGER).optional().describe("Only messages after this seq."),
  changed_after: integer(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("Only what came, or changed in status, votes, lease or standing, after this seq; `derived.changed_seq` is what it goes by."),
  wait: integer(0, LIMITS.wait_s).optional().describe("With after_seq or changed_after: seconds to wait for a match."),
};

/** How long to wait after which entry; refuses a wait for nothing in particular. */
export function waitOf(given: { after_seq?: number | undefined; changed_after?: number | undefined; wait?: number | undefined }) {
  const { after_seq: after, changed_after: changed, wait = 0 } = given;
  if (given.wait !== undefined && after === undefined && changed === undefined)
    throw new Refusal("invalid_parameter", "`wait` needs `after_seq` or `changed_after`.", {
      hint: "Give `after_seq` (new messages only) or `changed_after` (changes too) as well: the `latest_seq` of the answer before.",
      details: { parameter: "wait" },
    });
  return { seconds: wait, after: Math.max(after ?? 0, changed ?? 0) };
}

/** Every list is bounded and pages. */
export const pageShape = {
  limit: integer(1, LIMITS.list_limit).default(LIMITS.list_default).describe(`How many at most; ${LIMITS.list_default} unless given.`),
  cursor: z.string().optional().describe("next_cursor of the page before."),
};
