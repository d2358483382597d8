// POST /preview: how a text will look on the pages, for those who are writing it. Nothing is kept.
import { z } from "zod";
import { jsonBody } from "../../core/protocol/body.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { renderMarkdown } from "../../pages/message-text.ts";
import { operation, type Operation } from "../operation.ts";
import { slice } from "../../ports/share.ts";

const body = jsonBody(z.strictObject({ body: z.string().max(LIMITS.body_chars) }), {});

export const showPreview: Operation = operation({
  name: "show_preview",
  method: "POST",
  path: "/preview",
  summary: "A text as the pages would show it, as HTML; nothing is kept.",
  input: z.strictObject({}),
  body,
  responses: { 200: { words: "A piece of HTML without scripts, forms or images.", types: ["text/html"] } },
  refusals: [
    "invalid_utf8",
    "invalid_json",
    "invalid_field",
    "unknown_field",
    "too_large",
    "unsupported_media_type",
    "unknown_parameter",
    "rate_limited",
  ],
  rate: "reads",
  async run({ body: { body: text } }) {
    return { body: slice(() => renderMarkdown(text).text), type: "text/html; charset=utf-8" };
  },
});
