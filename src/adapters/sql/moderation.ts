// Notices, decisions and switches for readers.
import type { Action, Notice, NoticeState } from "../../core/message/moderation-state.ts";
import type { ReportCategory } from "../../core/protocol/vocabulary.ts";
import type { ModerationCounts, ModerationReads } from "../../ports/moderation.ts";
import { rowsFrom } from "./columns.ts";
import { first, type SqlRows } from "./dialect.ts";
import { SELECT_SWITCHES, toSwitches } from "./moderation-rows.ts";

const NOTICE = `${rowsFrom("notices")} WHERE id = $1`;
const noticesWhere = (more: string): string => `${rowsFrom("notices")} WHERE (at, id) > ($1, $2)${more} ORDER BY at, id LIMIT $3`;
const NOTICES = noticesWhere("");
const NOTICES_IN = noticesWhere(" AND state = $4");
const ACTIONS = `${rowsFrom("actions")} WHERE at >= $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`;
const COUNTS = "SELECT state, category, count(*) AS count FROM notices WHERE at >= $1 GROUP BY state, category ORDER BY state, category";
const OPEN = "SELECT count(*) AS count FROM notices WHERE state = 'received'";
const TOTALS = `SELECT count(*) FILTER (WHERE visibility = 'content_removed') AS removed,
  count(*) FILTER (WHERE visibility = 'content_removed' AND state = 'reversed') AS restored,
  count(*) FILTER (WHERE visibility = 'key_blocked') AS "keysBlocked" FROM actions WHERE at >= $1`;

export const moderationReads = (rows: SqlRows): ModerationReads => ({
  async notices({ state, after, limit }) {
    const values = [after?.at ?? -1, after?.id ?? "", limit];
    return state === undefined ? rows.all<Notice>(NOTICES, values) : rows.all<Notice>(NOTICES_IN, [...values, state]);
  },
  notice: (id) => first(rows, NOTICE, [id]),
  actions: async ({ since, before, limit }) => rows.all<Action>(ACTIONS, [since, before ?? Number.MAX_SAFE_INTEGER, limit]),
  async moderationCounts(since) {
    const [counted, totals] = await Promise.all([
      rows.all<{ state: NoticeState; category: ReportCategory; count: number }>(COUNTS, [since]),
      first<Pick<ModerationCounts, "removed" | "restored" | "keysBlocked">>(rows, TOTALS, [since]),
    ]);
    const notices = { received: 0, actioned: 0, dismissed: 0 };
    const byCategory: Partial<Record<ReportCategory, number>> = {};
    for (const { state, category, count } of counted) {
      notices[state] += count;
      byCategory[category] = (byCategory[category] ?? 0) + count;
    }
    const { removed = 0, restored = 0, keysBlocked = 0 } = totals ?? {};
    return { notices, byCategory, removed, restored, keysBlocked };
  },
  openReports: async () => (await first<{ count: number }>(rows, OPEN, []))?.count ?? 0,
  switches: async () => toSwitches(await first(rows, SELECT_SWITCHES, [])),
});
