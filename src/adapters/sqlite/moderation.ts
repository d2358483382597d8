// Notices, decisions and switches of a SQLite board for readers.
import type { DatabaseSync } from "node:sqlite";
import type { Action, Notice, NoticeState, Switches } from "../../core/message/moderation.ts";
import type { ReportCategory } from "../../core/protocol/vocabulary.ts";
import type { ModerationFigures, ModerationReads } from "../../ports/moderation.ts";
import { ACTION_COLUMNS, NOTICE_COLUMNS, SELECT_SWITCHES, toSwitches } from "../sql/moderation-rows.ts";

type Arguments<Name extends keyof ModerationReads> = Parameters<ModerationReads[Name]>[0];

export class SqliteModeration {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  notices({ state, after, limit }: Arguments<"notices">): readonly Notice[] {
    const { at = -1, id = "" } = after ?? {};
    const rows = state === undefined ? this.#sql.notices.all(at, id, limit) : this.#sql.noticesIn.all(state, at, id, limit);
    return rows as unknown as readonly Notice[];
  }

  notice(id: string): Notice | undefined {
    return this.#sql.notice.get(id) as Notice | undefined;
  }

  actions({ since, before, limit }: Arguments<"actions">): readonly Action[] {
    return this.#sql.actions.all(since, before ?? Number.MAX_SAFE_INTEGER, limit) as unknown as readonly Action[];
  }

  figures(since: number): ModerationFigures {
    const counted = this.#sql.counts.all(since) as unknown as { state: NoticeState; category: ReportCategory; count: number }[];
    const notices = { received: 0, actioned: 0, dismissed: 0 };
    const byCategory: Partial<Record<ReportCategory, number>> = {};
    for (const { state, category, count } of counted) {
      notices[state] += count;
      byCategory[category] = (byCategory[category] ?? 0) + count;
    }
    const { removed, restored, keysBlocked } = this.#sql.totals.get(since) as unknown as ModerationFigures;
    return { notices, byCategory, removed, restored, keysBlocked };
  }

  switches(): Switches {
    return toSwitches(this.#sql.switches.get());
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    notice: p(`SELECT ${NOTICE_COLUMNS} FROM notices WHERE id = ?`),
    notices: p(`SELECT ${NOTICE_COLUMNS} FROM notices WHERE (at, id) > (?, ?) ORDER BY at, id LIMIT +?`),
    noticesIn: p(`SELECT ${NOTICE_COLUMNS} FROM notices WHERE state = ? AND (at, id) > (?, ?) ORDER BY at, id LIMIT +?`),
    actions: p(`SELECT ${ACTION_COLUMNS} FROM actions WHERE at >= ? AND seq < ? ORDER BY seq DESC LIMIT +?`),
    counts: p("SELECT state, category, count(*) AS count FROM notices WHERE at >= ? GROUP BY state, category"),
    totals: p(`SELECT count(*) FILTER (WHERE visibility = 'content_removed') AS removed,
      count(*) FILTER (WHERE visibility = 'content_removed' AND state = 'reversed') AS restored,
      count(*) FILTER (WHERE visibility = 'key_blocked') AS keysBlocked FROM actions WHERE at >= ?`),
    switches: p(SELECT_SWITCHES),
  };
}
