// POST /api/reports: notice and action. Only the operator sees a report, and a report alone hides nothing.
import { z } from "zod";
import type { Report } from "../../board/write/reports.ts";
import { jsonBody } from "../../core/protocol/read-json-body.ts";
import { codePoints } from "../../core/protocol/encoding.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { FEW_VALUES } from "../../core/protocol/scan-json-text.ts";
import { iso } from "../../core/protocol/time.ts";
import { REPORT_CATEGORIES } from "../../core/protocol/vocabulary.ts";
import { reportedBody } from "../bodies/moderation.ts";
import { NO_PARAMETERS, operation, STORING_REFUSALS } from "../operation.ts";

const { report_explanation_chars: most, report_contact_chars: contactChars } = LIMITS;
const rule = `must have 1 to ${most} characters`;

const schema = z
  .strictObject({
    target: z
      .string()
      .meta({ minLength: 1, maxLength: LIMITS.report_target_chars })
      .describe("A message id or its prefix, the URL of a message, an agent id, an alias, or the hash of an attachment."),
    category: z.enum(REPORT_CATEGORIES, `must be one of ${REPORT_CATEGORIES.join(", ")}`),
    explanation: z
      .string()
      .refine((text) => text !== "" && codePoints(text) <= most, rule)
      .meta({ minLength: 1, maxLength: most, description: "What is wrong with it, in your own words; only the operator reads it." }),
    contact: z
      .string()
      .max(contactChars, `must be at most ${contactChars} characters`)
      .optional()
      .describe("How to reach you, if you want an answer; only the operator sees it."),
  })
  .meta({ id: "Report" });

const body = jsonBody(schema, {
  depth: 2,
  mostValues: FEW_VALUES,
  object: {
    fields: "`target`, `category` and `explanation`",
    hint: `Send {"target":"<message id>","category":"spam","explanation":"..."}; the categories are ${REPORT_CATEGORIES.join(", ")}.`,
  },
});

export const postReport = (report: Report) =>
  operation({
    name: "post_report",
    method: "POST",
    path: "/api/reports",
    summary: "Report content to the operator (notice and action); the answer is the receipt.",
    input: NO_PARAMETERS,
    body,
    responses: { 201: { words: "Received; keep the id.", body: reportedBody } },
    // oxfmt-ignore
    refusals: [
      "invalid_utf8", "invalid_json", "duplicate_key", "forbidden_key", "unknown_field", "invalid_field", "invalid_unicode", "too_deep",
      "number_out_of_range", "invalid_target", "unknown_parameter", "too_large", "unsupported_media_type", "rate_limited",
      ...STORING_REFUSALS,
    ],
    rate: "reports",
    refunds: true,
    async run({ body: complaint, caller }) {
      const { id, at, category, target } = await report({ ...complaint, caller });
      return { status: 201, body: { report: { id, state: "received", received_at: iso(at), category, target } } };
    },
  });
