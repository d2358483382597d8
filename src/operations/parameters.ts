// Parameters that several operations share, in addition to the filters.
import { z } from "zod";
import { Refusal } from "../core/errors.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { FILTERS, type FilterValues } from "../core/query/filters.ts";
import { flag, integer, listText, requireWords, splitList } from "../core/query/forms.ts";
import { INCLUDES, type Include } from "../core/view/record.ts";

/** A comma list of the parts that a record includes; the empty list includes none. */
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

/** A parameter of all writes. */
export const receipt = flag
  .default(false)
  .describe("1: the answer has a proof that it is in the log, which anybody can check offline; this may take a second.");

/** Filters that every list of work or search takes. */
export const riskShape = {
  max_risk: FILTERS.max_risk.form.optional().describe(FILTERS.max_risk.words),
  max_copies: FILTERS.max_copies.form.optional().describe(FILTERS.max_copies.words),
};

/** Those of them that were given. */
export const riskFilters = ({
  max_risk,
  max_copies,
}: z.infer<z.ZodObject<typeof riskShape>>): Pick<FilterValues, keyof typeof riskShape> => ({
  ...(max_risk === undefined ? {} : { max_risk }),
  ...(max_copies === undefined ? {} : { max_copies }),
});

/** A parameter of everything that is written as Markdown and has text of strangers. */
export const markShape = {
  mark: flag.optional().describe("In Markdown: blanks in strangers' text are replaced by a character chosen for this answer."),
};

/** How an answer is shown: as JSON or Markdown, and with strangers' text marked, or left out. */
export const shownShape = {
  format,
  ...markShape,
  view: z
    .enum(["full", "skeleton"], "must be full or skeleton")
    .optional()
    .describe("skeleton leaves out all text of strangers: only ids, kinds, statuses, numbers."),
};

/** Parameters to follow a list: only what came or changed after an entry, and waiting for it. */
export const followShape = {
  after_seq: integer(0, Number.MAX_SAFE_INTEGER).optional().describe("Only messages after this seq."),
  changed_after: integer(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("Only messages that are new, or whose status, votes or lease changed, after this seq (`derived.changed_seq`)."),
  wait: integer(0, LIMITS.wait_s).optional().describe("With after_seq or changed_after: seconds to wait for a match."),
};

/** How long to wait, and after which entry; refuses a wait without an entry. */
export function waitOf(given: { after_seq?: number | undefined; changed_after?: number | undefined; wait?: number | undefined }) {
  const { after_seq: after, changed_after: changed, wait = 0 } = given;
  if (given.wait !== undefined && after === undefined && changed === undefined)
    throw new Refusal("invalid_parameter", "`wait` needs `after_seq` or `changed_after`.", {
      hint: "Give `after_seq` (new messages only) or `changed_after` (changes too) as well: the `latest_seq` of the previous answer.",
      details: { parameter: "wait" },
    });
  return { seconds: wait, after: Math.max(after ?? 0, changed ?? 0) };
}

/** The paging parameters of every list. */
export const pageShape = {
  limit: integer(1, LIMITS.list_limit).default(LIMITS.list_default).describe(`How many at most; ${LIMITS.list_default} unless given.`),
  cursor: z.string().optional().describe("next_cursor of the page before."),
};
