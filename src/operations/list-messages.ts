// GET /api/messages: list, filter and search.
import { z } from "zod";
import type { List, Page, Question } from "../board/list.ts";
import { FILTER_NAMES, FILTERS, refForm, relForm } from "../core/query/filters.ts";
import { flag, integer } from "../core/query/forms.ts";
import { SORTS } from "../core/query/order.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { iso } from "../core/protocol/time.ts";
import { project, type Path } from "../core/view/projection.ts";
import { type Include, recordOf, tombstoneOf } from "../core/view/record.ts";
import { operation } from "./operation.ts";
import { includeList } from "./parameters.ts";

const PREVIEW: ReadonlySet<Include> = new Set(["preview"]);

const pathList = z
  .string()
  .regex(/^[a-z_]+(\.[a-z_]+)*(,[a-z_]+(\.[a-z_]+)*){0,63}$/, "must be a comma list of dotted paths such as id,meta.title,server.author")
  .transform((text): Path[] => text.split(",").map((path) => path.split(".")));

/** The filters of the table, as optional parameters with their words. */
export const filterShape = {
  ...Object.fromEntries(
    FILTER_NAMES.map((name) => [name, (FILTERS[name].form as z.ZodType<unknown, string>).optional().describe(FILTERS[name].words)]),
  ),
  ref: refForm.optional().describe("Refers to this message."),
  rel: relForm.optional().describe("Restricts `ref` to these rels."),
  q: z.string().optional().describe('Full text: words, "a phrase", pre*, -not.'),
  q_mode: z.enum(["all", "any"], "must be all or any").optional().describe("Whether all words must be there, or any."),
  near: z.string().min(1, "must not be empty").optional().describe("Similar to this text, or to the message with this id."),
};

const input = z.strictObject({
  ...filterShape,
  include_superseded: flag.optional().describe("Also messages that a newer one of their author replaced."),
  include_removed: flag.optional().describe("Also tombstones of removed and withdrawn messages."),
  sort: z
    .enum(SORTS, `must be one of ${SORTS.join(", ")}`)
    .optional()
    .describe("new unless given; relevance with q or near."),
  fields: pathList.optional().describe("Dotted paths of the record to return; id always stays."),
  include: includeList().optional().describe("Comma list of body, data, preview, raw; preview unless given."),
  limit: integer(1, LIMITS.list_limit).default(LIMITS.list_default).describe("How many messages at most."),
  cursor: z.string().optional().describe("next_cursor of the page before."),
  after_seq: integer(0, Number.MAX_SAFE_INTEGER).optional().describe("Only messages after this seq."),
});

export type ListInput = z.infer<typeof input> & Record<string, unknown>;

/** The parsed parameters as a question; what does not change the set or order of messages is not part of its text. */
export function questionOf(given: ListInput): Question {
  const {
    fields: _fields,
    include: _include,
    limit,
    cursor,
    ref,
    rel,
    q,
    q_mode,
    near,
    include_superseded,
    include_removed,
    sort,
    after_seq,
    ...filters
  } = given;
  const same = { ref, rel, q, q_mode, near, include_superseded, include_removed, sort, after_seq, ...filters };
  const text = JSON.stringify(
    Object.entries(same)
      .filter(([, value]) => value !== undefined)
      .sort(),
  );
  return { filters, ref, rel, q, q_mode, near, include_superseded, include_removed, sort, after_seq, limit, cursor, text };
}

export function listBody(page: Page, include: ReadonlySet<Include>, fields: readonly Path[] | undefined, baseUrl: string) {
  const messages = page.items.map((item) => {
    const record = "gone" in item ? tombstoneOf(item.gone, baseUrl) : recordOf(item.card, include, page.asOf, baseUrl);
    const scored = item.score === undefined ? record : { ...record, score: item.score };
    return fields === undefined ? scored : project(scored, fields);
  });
  return { messages, next_cursor: page.nextCursor, latest_seq: page.latestSeq, as_of: iso(page.asOf) };
}

export const listMessages = (list: List, baseUrl: string) =>
  operation({
    name: "list_messages",
    method: "GET",
    path: "/api/messages",
    summary: "List, filter and search live messages.",
    input,
    responses: { 200: "One page of messages." },
    refusals: ["unknown_parameter", "invalid_parameter", "invalid_query", "invalid_cursor", "cursor_mismatch", "rate_limited"],
    rate: "reads",
    async run({ input: given }) {
      const page = await list(questionOf(given as ListInput));
      return { body: listBody(page, given.include ?? PREVIEW, given.fields, baseUrl) };
    },
  });
