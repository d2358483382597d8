// GET /api/messages: list, filter and search.
import { z } from "zod";
import type { List, ListNow, Question } from "../../board/read/list.ts";
import type { StreamQuestion } from "../../board/live/subscriber-stream.ts";
import { type WaitFor, wokenBy } from "../../board/live/wait.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { FILTER_NAMES, FILTERS, refForm, relForm } from "../../core/query/filters.ts";
import { flag } from "../../core/query/forms.ts";
import { SORTS } from "../../core/query/order.ts";
import { listOrPartsBody } from "../bodies/messages.ts";
import { includedBy, mayBeLarge, messageFields } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, READ_REFUSALS, readOperation } from "../operation.ts";
import { followShape, includeList, pageShape, shownShape, waitOf } from "../parameters.ts";
import { PREVIEW, type Presenter } from "../present.ts";

/** The filters of the table, as optional parameters with their descriptions. */
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

/** The parameters that choose messages and their order; every view of a listing takes these. */
export const listingShape = {
  ...filterShape,
  include_superseded: flag.optional().describe("Also messages that were superseded by their author."),
  include_removed: flag.optional().describe("Also tombstones of removed and withdrawn messages."),
  sort: z
    .enum(SORTS, `must be one of ${SORTS.join(", ")}`)
    .optional()
    .describe("new unless given; relevance with q or near."),
  ...pageShape,
};

const input = z.strictObject({
  ...listingShape,
  fields: messageFields,
  include: includeList().optional().describe("Comma list of body, data, preview, raw; preview unless given."),
  ...followShape,
  ...shownShape,
});

type Given = z.infer<typeof input>;
export type Listing = z.infer<z.ZodObject<typeof listingShape>>;

/** The part of a query that the stream has too. */
export function streamQuestion({ ref, rel, q, q_mode, near, ...filters }: z.infer<z.ZodObject<typeof filterShape>>): StreamQuestion {
  return { filters, ref, rel, q, q_mode, near };
}

/** The parsed parameters as a query; its fingerprint covers only what changes the set or order of messages. */
export function questionOf(given: Partial<Given> & Listing): Question {
  const { fields: _fields, include: _include, format: _format, mark: _mark, view: _view, wait: _wait, limit, cursor, ...same } = given;
  const { ref, rel, q, q_mode, near, include_superseded, include_removed, sort, after_seq, changed_after, ...filters } = same;
  const beside = { ref, rel, q, q_mode, near, include_superseded, include_removed, sort, after_seq, changed_after };
  return { filters, ...beside, limit, cursor, fingerprint: questionFingerprint("messages", same) };
}

/** The parameters that must stay the same while paging. */
export function questionFingerprint(listing: string, parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${listing} ${JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

export const listMessages = (list: List, listNow: ListNow, waitFor: WaitFor, present: Presenter) =>
  readOperation({
    name: "list_messages",
    path: "/api/messages",
    summary: "List, filter and search live messages.",
    input,
    responses: {
      200: { words: "One page of messages; with `fields`, of the selected fields.", body: listOrPartsBody, types: JSON_OR_MARKDOWN },
    },
    refusals: [...READ_REFUSALS, "invalid_query", "invalid_cursor", "cursor_mismatch", "too_many_streams"],
    large: mayBeLarge,
    extraRate: ({ q, near }) => (q === undefined && near === undefined ? undefined : "searches"),
    revalidate: true,
    holds: ({ wait = 0 }) => wait > 0,
    async run({ input: given, closed, maxBytes, largeTurn }) {
      const patience = waitOf(given);
      const question = boundedQuestion(given, maxBytes);
      const read = () => list(question);
      const page = await (patience.seconds > 0 ? waitFor(read, { ...patience, ...wokenBy(question), closed: closed() }) : read());
      await largeTurn?.();
      return present.page(page, { ...given, include: includedBy(given, PREVIEW), heading: "Messages", maxBytes });
    },
    runSync(given) {
      if (given.limit > LIMITS.list_default) return undefined;
      if (given.wait !== undefined || given.format === "md" || given.fields !== undefined || given.view === "skeleton") return undefined;
      const question = boundedQuestion(given);
      const how = { include: given.include ?? PREVIEW, heading: "Messages" };
      return (at) => {
        const page = listNow(question, at);
        return page === undefined ? undefined : present.pageText(page, how);
      };
    },
  });

/** A page that may be large reads no more than the largest answer has space for; a page of raw messages no more than this one has. */
function boundedQuestion(given: Given, maxBytes = LIMITS.page_bytes): Question {
  const enoughBytes = sendsPayloads(given) ? maxBytes : LIMITS.page_bytes;
  return { ...questionOf(given), enoughBytes: mayBeLarge(given) ? enoughBytes : undefined };
}

/** Whether each message is answered with its whole payload. */
const sendsPayloads = ({ include, fields, format, view }: Given): boolean =>
  include?.has("raw") === true && fields === undefined && format === undefined && view === undefined;

/** Fixed filters as a query, for listings that are a view of this one. */
export function fixedQuestion(
  listing: string,
  filters: Question["filters"],
  page: { limit: number; cursor?: string | undefined },
  more: Partial<Question> = {},
): Question {
  return { filters, limit: page.limit, cursor: page.cursor, ...more, fingerprint: questionFingerprint(listing, { ...filters, ...more }) };
}

export const LIST_REFUSALS = [...READ_REFUSALS, "invalid_cursor", "cursor_mismatch"] as const;
