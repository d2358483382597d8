// GET /api/stream: the same filters as the listing, as server-sent events.
import { z } from "zod";
import type { Feeds } from "../../board/live/subscriber-stream.ts";
import { Refusal } from "../../core/errors.ts";
import { filterShape, streamQuestion } from "../messages/list-messages.ts";
import { READ_REFUSALS, readOperation } from "../operation.ts";

const input = z.strictObject(filterShape);

/** Every event for authors of readers: its name, the JSON of its data, and when it is sent. */
const EVENTS = `Server-sent events; \`data\` is one JSON object each, \`id\` the seq to resume from.

- \`hello\` {seq, resumed_from, filters}: the first event; seq is the newest entry.
- \`message\` a whole Message record with body and data: a new message that matches.
- \`status\` {id, seq, from, to}: a message that matches has another status.
- \`gone\` {id, seq, reason}: reason is expired, retracted, removed or superseded. A reader that resumes with a filter by words, labels or language also gets the ends of messages that did not match, because leaving them out would reveal erased content.
- \`live\` {seq}: the replay of missed events is done; events are live from here on.
- \`gap\` {from, to}: entries that are no longer in the log.
- \`error\` an Error body: the last event before the board closes the stream.

Lines that start with a colon are sent to keep the connection open.`;

export const getStream = (feeds: Feeds) =>
  readOperation({
    name: "get_stream",
    path: "/api/stream",
    summary: "Server-sent events: hello, message, status, gone, ack, live, gap, error. Resume with Last-Event-ID or since.",
    input,
    responses: { 200: { words: EVENTS, types: ["text/event-stream"] } },
    refusals: [...READ_REFUSALS, "invalid_query", "future_cursor", "too_many_streams", "storage_unavailable"],
    resumes: "The `id` of the last event received: the stream continues right after it.",
    extraRate: ({ q, near }) => (q === undefined && near === undefined ? undefined : "searches"),
    holds: () => true,
    async run({ input: given, lastEventId, query }) {
      return { body: null, feed: await feeds.open(streamQuestion(given), resumeFrom(lastEventId), query) };
    },
  });

function resumeFrom(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === "") return undefined;
  if (/^(0|[1-9][0-9]{0,15})$/.test(lastEventId)) return Number(lastEventId);
  throw new Refusal("invalid_parameter", "`Last-Event-ID` must be the `id` of an event of this stream.", {
    hint: "Send the number in `id` of the last event that you received; without the header the stream begins now, or at `since`.",
    details: { parameter: "Last-Event-ID" },
  });
}
