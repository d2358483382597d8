// Notices, decisions and switches of a PostgreSQL board for readers.
import type { Action, Notice, NoticeState, Switches } from "../../core/message/moderation.ts";
import type { ReportCategory } from "../../core/protocol/vocabulary.ts";
import type { ModerationFigures, ModerationReads } from "../../ports/moderation.ts";
import { ACTION_COLUMNS, NOTICE_COLUMNS, SELECT_SWITCHES, toSwitches } from "../sql/moderation-rows.ts";
import type { Client } from "./client.ts";
import { storable } from "./literals.ts";

type Arguments<Name extends keyof ModerationReads> = Parameters<ModerationReads[Name]>[0];

export class PostgresModeration implements ModerationReads {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  notices({ state, after, limit }: Arguments<"notices">): Promise<readonly Notice[]> {
    const { at = -1, id = "" } = after ?? {};
    const page = (where: string) => `SELECT ${NOTICE_COLUMNS} FROM notices WHERE ${where} (at, id) > ($1, $2) ORDER BY at, id LIMIT $3`;
    return state === undefined
      ? this.#client.query<Notice>(page(""), [at, id, limit])
      : this.#client.query<Notice>(page("state = $4 AND"), [at, id, limit, state]);
  }

  async notice(id: string): Promise<Notice | undefined> {
    return (await this.#client.query<Notice>(`SELECT ${NOTICE_COLUMNS} FROM notices WHERE id = $1`, [storable(id)]))[0];
  }

  actions({ since, before, limit }: Arguments<"actions">): Promise<readonly Action[]> {
    const sql = `SELECT ${ACTION_COLUMNS} FROM actions WHERE at >= $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`;
    return this.#client.query<Action>(sql, [since, before ?? Number.MAX_SAFE_INTEGER, limit]);
  }

  async moderationFigures(since: number): Promise<ModerationFigures> {
    const [counted, totals] = await Promise.all([
      this.#client.query<{ state: NoticeState; category: ReportCategory; count: number }>(
        "SELECT state, category, count(*) AS count FROM notices WHERE at >= $1 GROUP BY state, category ORDER BY state, category",
        [since],
      ),
      this.#client.query<Pick<ModerationFigures, "removed" | "restored" | "keysBlocked">>(
        `SELECT count(*) FILTER (WHERE visibility = 'content_removed') AS removed,
          count(*) FILTER (WHERE visibility = 'content_removed' AND state = 'reversed') AS restored,
          count(*) FILTER (WHERE visibility = 'key_blocked') AS "keysBlocked" FROM actions WHERE at >= $1`,
        [since],
      ),
    ]);
    const notices = { received: 0, actioned: 0, dismissed: 0 };
    const byCategory: Partial<Record<ReportCategory, number>> = {};
    for (const { state, category, count } of counted) {
      notices[state] += count;
      byCategory[category] = (byCategory[category] ?? 0) + count;
    }
    const { removed = 0, restored = 0, keysBlocked = 0 } = totals[0] ?? {};
    return { notices, byCategory, removed, restored, keysBlocked };
  }

  async switches(): Promise<Switches> {
    return toSwitches((await this.#client.query<unknown>(SELECT_SWITCHES))[0]);
  }
}
