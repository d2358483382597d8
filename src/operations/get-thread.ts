// GET /api/messages/{id}/thread: the whole task tree around a message.
import { z } from "zod";
import type { ShowThread, ThreadItem, ThreadPage } from "../board/thread.ts";
import { iso } from "../core/protocol/time.ts";
import { utf8Length } from "../core/protocol/encoding.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { integer, messageIdOrPrefix } from "../core/query/forms.ts";
import { shortId } from "../core/view/markdown.ts";
import { type Include, recordOf } from "../core/view/record.ts";
import { counted } from "../core/view/counted.ts";
import { threadBody } from "./bodies/messages.ts";
import { GONE_STATUSES, JSON_OR_MARKDOWN, jsonReply, operation } from "./operation.ts";
import { format, includeList } from "./parameters.ts";
import { markdownText, PREVIEW, type Presenter } from "./present.ts";
import { slice, sliced } from "../ports/share.ts";

const WORDS =
  `The whole thread, up to ${LIMITS.thread_messages} messages and ${LIMITS.page_bytes / 1024 / 1024} MiB, depth first, children by seq; \`complete\` says whether it is. A message at depth 0 that names a parent has lost it: it is gone or was never here. ` +
  "All pages show the thread as it stood at latest_seq, less what ended since; `participants` and `open` are of the whole thread, at most 500 each.";

export const getThread = (show: ShowThread, baseUrl: string, present: Presenter) =>
  operation({
    name: "get_thread",
    method: "GET",
    path: "/api/messages/{id}/thread",
    summary: "The whole thread of any of its messages, depth first, with every edge.",
    input: z.strictObject({
      id: messageIdOrPrefix,
      include: includeList().optional().describe("Comma list of body, data, preview, raw; preview unless given."),
      limit: integer(1, LIMITS.thread_page).optional().describe("How many at most; the whole thread unless given."),
      cursor: z.string().optional().describe("next_cursor of the page before."),
      format,
    }),
    responses: { 200: { words: WORDS, body: threadBody, types: JSON_OR_MARKDOWN } },
    // oxfmt-ignore
    refusals: [
      "unknown_parameter", "invalid_parameter", "invalid_cursor", "cursor_mismatch", "not_found", "ambiguous_id", "expired", "retracted", "removed",
      "rate_limited",
    ],
    statuses: GONE_STATUSES,
    rate: "reads",
    large: () => true,
    revalidate: true,
    async run({ input }) {
      const include = input.include ?? PREVIEW;
      const shownOf = ({ card, ...place }: ThreadItem, now: number) => ({ ...recordOf(card, include, now, baseUrl), ...placeOf(place) });
      const bytesOf = (item: ThreadItem, now: number): number => {
        if (input.format === "md") return utf8Length(markdownText(shownOf(item, now)));
        const { card, ...place } = item;
        return utf8Length(present.text(card, include, now, placeOf(place)));
      };
      const page = await show(input.id, { cursor: input.cursor, limit: input.limit ?? LIMITS.thread_messages, bytesOf });
      const next = page.nextCursor === null ? {} : { next: page.nextCursor };
      if (input.format !== "md") return jsonReply({ json: slice(() => threadText(page, include, present)), ...next });
      const records: ReturnType<typeof shownOf>[] = [];
      await sliced(page.items, (item) => void records.push(shownOf(item, page.asOf)));
      return { ...slice(() => present.markdown("Thread", linesOf(page), records)), ...next };
    },
  });

const placeOf = ({ depth, parent, parentRel }: Omit<ThreadItem, "card">) => ({ depth, parent, parent_rel: parentRel });

function threadText(page: ThreadPage, include: ReadonlySet<Include>, present: Presenter): string {
  const { root, focus, items, edges, participants, open, nextCursor, total, complete, latestSeq, asOf } = page;
  const messages = items.map(({ card, ...place }) => present.text(card, include, asOf, placeOf(place)));
  const after = { edges, participants, open, next_cursor: nextCursor, complete, total, latest_seq: latestSeq };
  return `${JSON.stringify({ root, focus }).slice(0, -1)},"messages":[${messages.join()}],${JSON.stringify(after).slice(1)}`;
}

/** What stands above the messages in Markdown; they carry their own depth and refs. */
function linesOf({ root, focus, items, participants, open, nextCursor, total, complete, latestSeq, asOf }: ThreadPage): string[] {
  return [
    `${complete ? "All of " : `${items.length} of `}${counted(total, "message")} as of ${iso(asOf)}, latest_seq ${latestSeq}; root ${root}${focus === root ? "" : `, asked for ${shortId(focus)}`}.`,
    `By ${participants.map(({ agent, messages }) => `${agent} (${messages})`).join(", ")}.`,
    ...(open.length === 0 ? [] : [`Open work: ${open.map(shortId).join(", ")}.`]),
    ...(nextCursor === null ? [] : [`next_cursor: ${nextCursor}`]),
  ];
}
