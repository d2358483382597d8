// GET /api/transparency: how many reports came in, and every decision with its statement of reasons.
import { z } from "zod";
import { iso } from "../../core/protocol/time.ts";
import { REPORT_CATEGORIES } from "../../core/protocol/vocabulary.ts";
import { type CursorCodec, cutPage } from "../../core/query/cursor.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ModerationReads } from "../../ports/moderation.ts";
import { transparencyBody } from "../bodies/moderation.ts";
import { LIST_REFUSALS } from "../messages/list-messages.ts";
import { readOperation } from "../operation.ts";
import { pageShape } from "../parameters.ts";

const PERIOD_MS = 365 * DAY_MS;
const QUESTION = "transparency";

export const getTransparency = (store: ModerationReads, clock: Clock, cursors: CursorCodec) =>
  readOperation({
    name: "get_transparency",
    path: "/api/transparency",
    summary: "Removals, blocked keys and report counts of the last 365 days, newest decision first.",
    input: z.strictObject(pageShape),
    responses: { 200: { words: "Counts, and one page of decisions.", body: transparencyBody } },
    refusals: LIST_REFUSALS,
    async run({ input }) {
      const now = clock.now();
      const since = now - PERIOD_MS;
      const before = cursors.decode(QUESTION, input.cursor, z.number());
      const { notices, byCategory, removed, restored, keysBlocked } = await store.moderationCounts(since);
      const found = await store.actions({ since, before, limit: input.limit + 1 });
      const { page, next } = cutPage(found, input.limit, ({ seq }) => cursors.encode(QUESTION, seq));
      const { received: open, actioned, dismissed } = notices;
      const body = {
        period: { from: iso(since), to: iso(now) },
        notices: {
          received: open + actioned + dismissed,
          open,
          actioned,
          dismissed,
          by_category: Object.fromEntries(REPORT_CATEGORIES.map((category) => [category, byCategory[category] ?? 0])),
        },
        actions: page.map(({ at, state, ...action }) => ({ ...action, at: iso(at), automated: false, state })),
        totals: { removed, restored, keys_blocked: keysBlocked },
        next_cursor: next,
      };
      return { body, next };
    },
  });
