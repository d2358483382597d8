// Parameter forms that several operations share, on top of the forms of the filters.
import { z } from "zod";
import { LIMITS } from "../core/protocol/limits.ts";
import { integer, listText, requireWords, splitList } from "../core/query/forms.ts";
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

/** Every list is bounded and pages. */
export const pageShape = {
  limit: integer(1, LIMITS.list_limit).default(LIMITS.list_default).describe(`How many at most; ${LIMITS.list_default} unless given.`),
  cursor: z.string().optional().describe("next_cursor of the page before."),
};
