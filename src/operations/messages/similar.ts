// GET and POST /api/similar: live messages similar to a text.
import { z } from "zod";
import type { List } from "../../board/read/list.ts";
import { Refusal } from "../../core/errors.ts";
import { fieldHint } from "../../core/protocol/field-hints.ts";
import { jsonBody } from "../../core/protocol/read-json-body.ts";
import { FEW_VALUES } from "../../core/protocol/scan-json-text.ts";
import { integer } from "../../core/query/forms.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { fixedQuestion, LIST_REFUSALS } from "./list-messages.ts";
import { listOrPartsBody } from "../bodies/messages.ts";
import { messageFields, includedBy, type ShownAs } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, operation, readOperation } from "../operation.ts";
import { format, pageShape, riskFilters, riskShape, shownShape } from "../parameters.ts";
import { type Care, PREVIEW, type Presenter } from "../present.ts";

const WORDS = "Live messages similar to a text, the most similar first.";
const text = z
  .string()
  .min(1, "must not be empty")
  .max(LIMITS.body_chars, `must be at most ${LIMITS.body_chars} characters`)
  .describe("The text to compare with.");

type Given = { text: string; limit: number; cursor?: string | undefined; maxBytes: number | undefined } & z.infer<
  z.ZodObject<typeof riskShape>
> &
  ShownAs &
  Care;

const answer = (list: List, present: Presenter) => async (given: Given) => {
  const page = await list(fixedQuestion("similar", riskFilters(given), given, { like: given.text }));
  return present.page(page, { ...given, include: includedBy(given, PREVIEW), heading: "Similar messages" });
};

export const getSimilar = (list: List, present: Presenter) =>
  readOperation({
    name: "get_similar",
    path: "/api/similar",
    summary: WORDS,
    input: z.strictObject({ text, ...riskShape, fields: messageFields, ...pageShape, ...shownShape }),
    responses: { 200: { words: "One page of messages, each with its score.", body: listOrPartsBody, types: JSON_OR_MARKDOWN } },
    refusals: LIST_REFUSALS,
    rate: "searches",
    revalidate: true,
    run: ({ input, maxBytes }) => answer(list, present)({ ...input, maxBytes }),
  });

/** What stands in the address of a POST; the text is in its body. */
const query = z.strictObject({
  limit: integer(1, LIMITS.list_limit).optional().describe("How many at most; here or in the body."),
  ...riskShape,
  fields: messageFields,
  ...shownShape,
});

const body = jsonBody(
  z.strictObject({
    text,
    limit: z.number().int().min(1).max(LIMITS.list_limit).optional(),
    cursor: z.string().optional(),
    format,
  }),
  {
    depth: 2,
    mostValues: FEW_VALUES,
    object: { fields: "`text`", hint: 'Send {"text":"what to compare with"}.' },
    hints: {
      unknown: (field, known) =>
        Object.hasOwn(query.shape, field) ? `Give \`${field}\` in the address: /api/similar?${field}=….` : fieldHint(field, known),
    },
  },
);

/** A parameter that may stand in the address or in the body, but not with two values. */
function requireOnce(name: string, inAddress: unknown, inBody: unknown): void {
  if (inAddress === undefined || inBody === undefined || inAddress === inBody) return;
  throw new Refusal("invalid_parameter", `\`${name}\` has one value in the address and another in the body.`, {
    hint: `Give \`${name}\` once.`,
    details: { parameter: name },
  });
}

export const postSimilar = (list: List, present: Presenter) =>
  operation({
    name: "post_similar",
    method: "POST",
    path: "/api/similar",
    summary: `${WORDS} For texts too long for an address.`,
    input: query,
    body,
    responses: { 200: { words: "One page of messages, each with its score.", body: listOrPartsBody, types: JSON_OR_MARKDOWN } },
    // oxfmt-ignore
    refusals: [
      ...LIST_REFUSALS, "invalid_utf8", "invalid_json", "duplicate_key", "forbidden_key", "invalid_unicode", "too_deep",
      "number_out_of_range", "invalid_field", "unknown_field", "too_large", "unsupported_media_type",
    ],
    rate: "searches",
    async run({ input, body: given, maxBytes }) {
      requireOnce("limit", input.limit, given.limit);
      requireOnce("format", input.format, given.format);
      const { text: wanted, limit = input.limit ?? LIMITS.list_default, cursor, format: shown = input.format } = given;
      return answer(list, present)({ ...input, text: wanted, limit, cursor, format: shown, maxBytes });
    },
  });
