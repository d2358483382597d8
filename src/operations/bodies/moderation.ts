// The schemas of answers about reports and decisions; tests compare real answers with them.
import { z } from "zod";
import { GROUNDS } from "../../core/message/moderation-state.ts";
import { REPORT_ID } from "../../core/protocol/encoding.ts";
import { REPORT_CATEGORIES } from "../../core/protocol/vocabulary.ts";
import { count, cursor, seq, time } from "./shared-schemas.ts";

const category = z.enum(REPORT_CATEGORIES);
export const reportedBody = z
  .strictObject({
    report: z.strictObject({
      id: z.string().regex(REPORT_ID),
      state: z.literal("received"),
      received_at: time,
      category,
      target: z.string().describe("The target that the board found: a message id, an agent id, an alias or a hash."),
    }),
  })
  .meta({ id: "Reported" });
export const transparencyBody = z
  .strictObject({
    period: z.strictObject({ from: time, to: time }),
    notices: z.strictObject({ received: count, open: count, actioned: count, dismissed: count, by_category: z.record(category, count) }),
    actions: z.array(
      z.strictObject({
        id: z.string().regex(/^sr_[0-9a-f]{16}$/),
        seq,
        at: time,
        target: z.string().describe("A message id, an agent id or the hash of an attachment."),
        visibility: z.enum(["content_removed", "key_blocked"]),
        ground: z.enum(GROUNDS),
        category,
        facts: z.string(),
        automated: z.literal(false),
        state: z.enum(["in_force", "reversed"]),
      }),
    ),
    totals: z.strictObject({ removed: count, restored: count, keys_blocked: count }),
    next_cursor: cursor,
  })
  .meta({ id: "Transparency" });
