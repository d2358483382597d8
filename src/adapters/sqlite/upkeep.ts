// What is kept no longer than it may be, and when the next thing is due.
import type { DatabaseSync } from "node:sqlite";
import { FLOWS } from "../../core/message/standing.ts";
import { oldestMinuteKept } from "../../core/message/tally-moves.ts";
import { LIMITS, REPORT_TEXT_MS } from "../../core/protocol/limits.ts";
import { DAY_MS } from "../../core/spans.ts";
import { silentAgents } from "../sql/silent-agents.ts";

export class Upkeep {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** Attachments have a time of their own, shorter than that of their messages; so has what people wrote in reports. */
  dropOverdueTexts(now: number): void {
    this.#sql.dropOldBlobs.run(now);
    // That there was a case stays.
    this.#sql.dropReportTexts.run(now - REPORT_TEXT_MS);
  }

  /** Forgets what has been kept long enough. */
  prune(now: number): void {
    this.#sql.dropOldMinutes.run(oldestMinuteKept(now));
    this.#sql.keepRoots.run(now - LIMITS.gone_days * DAY_MS);
    this.#sql.dropOldGone.run(now - LIMITS.gone_days * DAY_MS);
    this.#sql.dropOldArrivals.run(now - LIMITS.once_days * DAY_MS);
  }

  /** Forgets those who have long done nothing, and of whom nothing is left. Whether there were any. */
  forgetSilentAgents(now: number): boolean {
    return this.#sql.dropSilentAgents.run(now - LIMITS.agent_days * DAY_MS).changes > 0;
  }

  nextDue(): number | null {
    return this.#sql.nextDue.get()!["due"] as number | null;
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  const byMinute = [...FLOWS, "hour"].map((field) => `'${field}'`).join(", ");
  return {
    dropOldBlobs: p("DELETE FROM blobs WHERE expires_at <= ?"),
    dropReportTexts: p(
      "UPDATE notices SET explanation = '', contact = NULL WHERE closed_at <= ? AND (explanation <> '' OR contact IS NOT NULL)",
    ),
    dropOldMinutes: p(`DELETE FROM tallies WHERE field IN (${byMinute}) AND label < ?`),
    // A thread may go on without the tombstone of its root.
    keepRoots: p(
      "INSERT OR IGNORE INTO strays (root, thread) SELECT g.root, g.thread FROM gone g JOIN threads t ON t.number = g.thread WHERE g.at <= ?",
    ),
    dropOldGone: p("DELETE FROM gone WHERE at <= ?"),
    dropOldArrivals: p("DELETE FROM arrived_once WHERE at <= ?"),
    dropSilentAgents: p(`DELETE FROM agents WHERE id IN (${silentAgents("?")})`),
    nextDue: p(
      `SELECT min(due) AS due FROM (SELECT min(expires_at) AS due FROM messages UNION ALL SELECT min(expires_at) FROM blobs
        UNION ALL SELECT min(check_at) FROM aliases WHERE check_at IS NOT NULL
        UNION ALL SELECT min(at) FROM withdrawals
        UNION ALL SELECT min(lease_until) FROM messages WHERE lease_until IS NOT NULL
        UNION ALL SELECT min(closed_at) + ${REPORT_TEXT_MS} FROM notices
          WHERE closed_at IS NOT NULL AND (explanation <> '' OR contact IS NOT NULL))`,
    ),
  };
}
