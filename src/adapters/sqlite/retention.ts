// Deletes what is past its retention, and computes when the next thing is due.
import type { DatabaseSync } from "node:sqlite";
import { oldestRetainedMinute } from "../../core/message/counts.ts";
import { LIMITS, REPORT_TEXT_MS } from "../../core/protocol/limits.ts";
import { DAY_MS } from "../../core/durations.ts";
import { NEXT_DUE, TRIM, UPKEEP } from "../sql/retention.ts";

/** For tombstones that are about to be deleted. */
export const KEEP_ROOTS =
  "INSERT OR IGNORE INTO strays (root, thread) SELECT g.root, g.thread FROM gone g JOIN threads t ON t.number = g.thread";

export class SqliteUpkeep {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  dropOverdueTexts(now: number): void {
    this.#sql.dropBlobs.run(now);
    this.#sql.dropReportTexts.run(now - REPORT_TEXT_MS);
  }

  /** Deletes what has been kept long enough. */
  prune(now: number): void {
    this.#sql.dropMinutes.run(oldestRetainedMinute(now));
    this.#sql.keepRoots.run(now - LIMITS.gone_days * DAY_MS);
    this.#sql.keepPast.run(now - LIMITS.gone_days * DAY_MS);
    this.#sql.dropTombstones.run(now - LIMITS.gone_days * DAY_MS);
    this.#sql.dropAcks.run(now - LIMITS.ack_days * DAY_MS);
    this.#sql.dropArrivals.run(now - LIMITS.once_days * DAY_MS);
    this.#trimLog(now - LIMITS.log_days * DAY_MS);
  }

  #trimLog(before: number): void {
    const { young } = this.#sql.firstYoung.get(before) as { young: number };
    const { anchor } = this.#sql.anchor.get(young) as { anchor: number };
    this.#sql.dropEntries.run(anchor);
    this.#sql.dropPast.run(anchor);
    this.#sql.eraseDetails.run(young, anchor);
  }

  /** Deletes agents that have long been inactive and of whom nothing is left. Returns whether there were any. */
  forgetSilentAgents(now: number): boolean {
    return this.#sql.dropSilentAgents.run(now - LIMITS.agent_days * DAY_MS).changes > 0;
  }

  nextDue(): number | null {
    return this.#sql.nextDue.get()!["due"] as number | null;
  }
}

function statements(db: DatabaseSync) {
  const at = (make: (moment: string) => string) => db.prepare(make("?"));
  return {
    dropBlobs: at(UPKEEP.dropBlobs),
    dropReportTexts: at(UPKEEP.dropReportTexts),
    dropMinutes: at(UPKEEP.dropMinutes),
    // A thread may continue without the tombstone of its root.
    keepRoots: at((moment) => `${KEEP_ROOTS} WHERE g.at <= ${moment}`),
    keepPast: at(UPKEEP.keepPast),
    dropTombstones: at(UPKEEP.dropTombstones),
    dropAcks: at(UPKEEP.dropAcks),
    dropArrivals: at(UPKEEP.dropArrivals),
    firstYoung: at(TRIM.firstYoung),
    anchor: db.prepare(TRIM.anchor("?", "min")),
    dropEntries: at(TRIM.dropEntries),
    dropPast: at(TRIM.dropPast),
    eraseDetails: db.prepare(TRIM.eraseDetails("?1", "?2", "min")),
    dropSilentAgents: at(UPKEEP.dropSilentAgents),
    nextDue: db.prepare(NEXT_DUE),
  };
}
