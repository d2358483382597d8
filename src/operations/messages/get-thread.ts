// GET /api/messages/{id}/thread: the thread of a message.
import { z } from "zod";
import type { ShowThread, Size, ThreadItem, ThreadPage } from "../../board/read/thread.ts";
import { iso } from "../../core/protocol/time.ts";
import { codePoints, utf8Length } from "../../core/protocol/encoding.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { flag, integer, messageIdOrPrefix } from "../../core/query/forms.ts";
import { shortId } from "../../core/view/markdown.ts";
import { recordOf } from "../../core/view/record.ts";
import { plural } from "../../core/text/plural.ts";
import { threadMessageBody, threadOrPartsBody } from "../bodies/messages.ts";
import { fieldsOf, includedBy } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, jsonReply, OF_ONE_MESSAGE, readOperation } from "../operation.ts";
import { includeList, shownShape } from "../parameters.ts";
import { cutTo, markdownText, type Presenter, PREVIEW } from "../present.ts";
import { slice, sliced } from "../../ports/cpu-slices.ts";

const WORDS =
  `The whole thread, up to ${LIMITS.thread_messages} messages and ${LIMITS.page_bytes / 1024 / 1024} MiB, depth first, children by seq; \`complete\` says whether it is. If a message at depth 0 names a parent, that parent has ended or was never here. ` +
  "`omitted` counts messages that are left out by `scope`, `limit`, `max_chars` or the size of the answer; `next_cursor` leads to the rest. All pages show the thread as of latest_seq, without messages that ended since; `participants` and `open` cover the whole thread, at most 500 each.";

export const getThread = (show: ShowThread, baseUrl: string, present: Presenter) =>
  readOperation({
    name: "get_thread",
    path: "/api/messages/{id}/thread",
    summary: "The whole thread of any of its messages, depth first, with every edge.",
    input: z.strictObject({
      id: messageIdOrPrefix,
      include: includeList().optional().describe("Comma list of body, data, preview, raw; preview unless given."),
      fields: fieldsOf(threadMessageBody),
      scope: z
        .enum(["thread", "subtree"], "must be thread or subtree")
        .optional()
        .describe("The whole thread unless given; subtree is this message, its ancestors and its replies."),
      fold: flag.optional().describe("Shows claims, signals and votes in the record of their target instead of listing them."),
      max_chars: integer(LIMITS.thread_chars_min, LIMITS.thread_chars)
        .optional()
        .describe("How many characters of messages at most; one message at least."),
      limit: integer(1, LIMITS.thread_page).optional().describe("How many at most; the whole thread unless given."),
      cursor: z.string().optional().describe("next_cursor of the page before."),
      ...shownShape,
    }),
    responses: { 200: { words: WORDS, body: threadOrPartsBody, types: JSON_OR_MARKDOWN } },
    ...OF_ONE_MESSAGE,
    refusals: [...OF_ONE_MESSAGE.refusals, "invalid_cursor", "cursor_mismatch"],
    large: () => true,
    revalidate: true,
    async run({ input, maxBytes: bytes = LIMITS.page_bytes }) {
      const include = includedBy(input, PREVIEW);
      const { fields, max_chars: chars } = input;
      const markdown = input.format === "md";
      const shownOf = ({ stored, ...place }: ThreadItem, now: number) => ({
        ...recordOf(stored, include, now, baseUrl),
        ...placeOf(place),
      });
      const textOf = (item: ThreadItem, now: number): string => {
        if (markdown) return markdownText(shownOf(item, now));
        if (fields !== undefined || input.view === "skeleton") return JSON.stringify(cutTo(shownOf(item, now), input));
        const { stored, ...place } = item;
        return present.text(stored, include, now, placeOf(place));
      };
      const sizeOf = (item: ThreadItem, now: number): Size => {
        const text = textOf(item, now);
        return { bytes: utf8Length(text), chars: chars === undefined ? undefined : codePoints(text) };
      };
      const { cursor, scope, fold, limit = LIMITS.thread_messages } = input;
      const page = await show(input.id, { cursor, scope, fold, limit, sizeOf, budget: { bytes, chars } });
      if (!markdown) {
        const texts: string[] = [];
        await sliced(page.items, (item) => void texts.push(textOf(item, page.asOf)));
        return jsonReply({ json: slice(() => threadText(page, texts)), next: page.nextCursor });
      }
      const records: ReturnType<typeof shownOf>[] = [];
      await sliced(page.items, (item) => void records.push(shownOf(item, page.asOf)));
      return { ...(await present.markdown("Thread", linesOf(page), records, input)), next: page.nextCursor };
    },
  });

const placeOf = ({ depth, parent, parentRel, folded }: Omit<ThreadItem, "stored">) => ({
  depth,
  parent,
  parent_rel: parentRel,
  ...(folded === undefined ? {} : { folded }),
});

/** `texts`: the records of the page as JSON. */
function threadText(page: ThreadPage, texts: readonly string[]): string {
  const { root, focus, edges, participants, open, nextCursor, total, complete, omitted, latestSeq } = page;
  const after = { edges, participants, open, next_cursor: nextCursor, complete, total, omitted, latest_seq: latestSeq };
  return `${JSON.stringify({ root, focus }).slice(0, -1)},"messages":[${texts.join()}],${JSON.stringify(after).slice(1)}`;
}

/** The lines above the messages in Markdown; the messages have their own depth and refs. */
function linesOf({ root, focus, items, participants, open, nextCursor, total, complete, omitted, latestSeq, asOf }: ThreadPage): string[] {
  return [
    `${complete ? "All of " : `${items.length} of `}${plural(total, "message")} as of ${iso(asOf)}, latest_seq ${latestSeq}; root ${root}${focus === root ? "" : `, asked for ${shortId(focus)}`}.`,
    `By ${participants.map(({ agent, messages }) => `${agent} (${messages})`).join(", ")}.`,
    ...(open.length === 0 ? [] : [`Open work: ${open.map(shortId).join(", ")}.`]),
    ...(omitted === 0 ? [] : [`${plural(omitted, "message")} left out.`]),
    ...(nextCursor === null ? [] : [`next_cursor: ${nextCursor}`]),
  ];
}
