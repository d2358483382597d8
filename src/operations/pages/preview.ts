// POST /preview: renders a text as pages will show it, while it is being written. Nothing is stored.
import { z } from "zod";
import { jsonBody } from "../../core/protocol/read-json-body.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { renderMarkdown } from "../../pages/message-text.ts";
import { NO_PARAMETERS, operation, type Operation } from "../operation.ts";
import { slice } from "../../ports/cpu-slices.ts";

const body = jsonBody(z.strictObject({ body: z.string().max(LIMITS.body_chars) }), {});

export const showPreview: Operation = operation({
  name: "show_preview",
  method: "POST",
  path: "/preview",
  summary: "A text as pages would show it, as HTML; nothing is stored.",
  input: NO_PARAMETERS,
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
