// GET /api/messages/{id}: one message.
import { z } from "zod";
import type { FindMessage } from "../../board/read/message-by-id.ts";
import { MESSAGE_ID_CHARS } from "../../core/protocol/encoding.ts";
import { messageIdOrPrefix } from "../../core/query/forms.ts";
import { recordOf } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageOrPartsBody } from "../bodies/messages.ts";
import { messageFields, includedBy } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, jsonReply, OF_ONE_MESSAGE, readOperation } from "../operation.ts";
import { includeList, shownShape } from "../parameters.ts";
import { BODY_AND_DATA, cutTo, type Presenter } from "../present.ts";

export const getMessage = (find: FindMessage, clock: Clock, baseUrl: string, present: Presenter) =>
  readOperation({
    name: "get_message",
    path: "/api/messages/{id}",
    summary: "One message by its id or a unique prefix.",
    input: z.strictObject({
      id: messageIdOrPrefix,
      ...shownShape,
      include: includeList().optional().describe("Comma list of body, data, preview, raw; body and data unless given."),
      fields: messageFields,
    }),
    responses: { 200: { words: "The message.", body: messageOrPartsBody, types: JSON_OR_MARKDOWN } },
    ...OF_ONE_MESSAGE,
    revalidate: true,
    async run({ input }) {
      const stored = await find(input.id);
      const include = includedBy(input, BODY_AND_DATA);
      if (input.format !== "md" && (input.fields !== undefined || input.view === "skeleton"))
        return { body: cutTo(recordOf(stored, include, clock.now(), baseUrl), input) };
      if (input.format !== "md") return jsonReply(present.record(stored, include, clock.now()));
      return present.markdown("Message", [], [recordOf(stored, include, clock.now(), baseUrl)], input);
    },
    runSync({ id, format: wanted, include = BODY_AND_DATA, fields: paths, view }) {
      // A prefix has to be looked up.
      if (id.length !== MESSAGE_ID_CHARS || wanted === "md" || paths !== undefined || view === "skeleton") return undefined;
      return ({ fresh: { now }, reads }) => {
        const found = reads.find(id, now);
        return found !== undefined && "stored" in found ? present.record(found.stored, include, now) : undefined;
      };
    },
  });
