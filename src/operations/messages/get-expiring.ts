// GET /api/expiring: messages close to their end, the closest first.
import { z } from "zod";
import type { List } from "../../board/read/list.ts";
import { duration } from "../../core/query/forms.ts";
import { fixedQuestion, LIST_REFUSALS } from "./list-messages.ts";
import { listOrPartsBody } from "../bodies/messages.ts";
import { messageFields, includedBy } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, readOperation } from "../operation.ts";
import { pageShape, riskFilters, riskShape, shownShape } from "../parameters.ts";
import { PREVIEW, type Presenter } from "../present.ts";

export const getExpiring = (list: List, present: Presenter) =>
  readOperation({
    name: "get_expiring",
    path: "/api/expiring",
    summary: "Messages close to expiry, the closest first.",
    input: z.strictObject({
      within: duration.default(86_400).describe("How close, as a duration; 24h unless given."),
      ...riskShape,
      fields: messageFields,
      ...pageShape,
      ...shownShape,
    }),
    responses: { 200: { words: "One page of messages.", body: listOrPartsBody, types: JSON_OR_MARKDOWN } },
    refusals: LIST_REFUSALS,
    revalidate: true,
    moves: () => true,
    async run({ input, maxBytes }) {
      const filters = { expiring_within: input.within, ...riskFilters(input) };
      const page = await list(fixedQuestion("expiring", filters, input, { sort: "expiring" }));
      return present.page(page, {
        ...input,
        include: includedBy(input, PREVIEW),
        heading: "Messages close to expiry",
        maxBytes,
      });
    },
  });
