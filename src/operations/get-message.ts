// GET /api/messages/{id}: one message.
import { z } from "zod";
import type { FindMessage } from "../board/find.ts";
import { messageIdOrPrefix } from "../core/query/forms.ts";
import { type Include, recordOf } from "../core/view/record.ts";
import type { Clock } from "../ports/clock.ts";
import { operation } from "./operation.ts";
import { includeList } from "./parameters.ts";

const DEFAULT: ReadonlySet<Include> = new Set(["body", "data"]);

export const getMessage = (find: FindMessage, clock: Clock, baseUrl: string) =>
  operation({
    name: "get_message",
    method: "GET",
    path: "/api/messages/{id}",
    summary: "One message by its id or a unique prefix.",
    input: z.strictObject({
      id: messageIdOrPrefix,
      include: includeList().optional().describe("Comma list of body, data, preview, raw; body and data unless given."),
    }),
    responses: { 200: "The message." },
    refusals: ["unknown_parameter", "invalid_parameter", "not_found", "ambiguous_id", "expired", "retracted", "removed", "rate_limited"],
    rate: "reads",
    async run({ input }) {
      const card = await find(input.id);
      return { body: recordOf(card, input.include ?? DEFAULT, clock.now(), baseUrl) };
    },
  });
