// Deletes what is past its retention, and computes when the next thing is due.
import type { DatabaseSync } from "node:sqlite";
import {
  DELETE_OVERDUE_TEXTS,
  type Deletion,
  FORGET_SILENT_AGENTS,
  NEXT_DUE,
  PRUNE,
  retentionTimes,
  type RetentionTimes,
  TRIM,
} from "../sql/retention.ts";

/** For tombstones that are about to be deleted. */
export const KEEP_ROOTS =
  "INSERT OR IGNORE INTO strays (root, thread) SELECT g.root, g.thread FROM gone g JOIN threads t ON t.number = g.thread";

/** A thread may continue without the tombstone of its root. */
const KEEP_ROOTS_OF_GONE: Deletion = { kind: "gone", sql: (before) => `${KEEP_ROOTS} WHERE g.at <= ${before}` };

export function sqliteUpkeep(db: DatabaseSync) {
  /** Returns how many rows it changed. */
  const deletion = ({ kind, sql }: Deletion) => {
    const statement = db.prepare(sql("?"));
    return (times: RetentionTimes): number => Number(statement.run(times[kind]).changes);
  };
  const overdueTexts = DELETE_OVERDUE_TEXTS.map(deletion);
  const pruned = [KEEP_ROOTS_OF_GONE, ...PRUNE].map(deletion);
  const firstYoung = db.prepare(TRIM.firstYoung("?"));
  const anchorBelow = db.prepare(TRIM.anchor("?", "min"));
  const trim = TRIM.deletions("?1", "?2", "min").map((sql) => db.prepare(sql));
  const silentAgents = deletion(FORGET_SILENT_AGENTS);
  const nextDue = db.prepare(NEXT_DUE);
  return {
    dropOverdueTexts(now: number): void {
      const times = retentionTimes(now);
      for (const run of overdueTexts) run(times);
    },
    /** Deletes what has been kept long enough. */
    prune(now: number): void {
      const times = retentionTimes(now);
      for (const run of pruned) run(times);
      const { young } = firstYoung.get(times.log) as { young: number };
      const { anchor } = anchorBelow.get(young) as { anchor: number };
      for (const statement of trim) statement.run(young, anchor);
    },
    /** Deletes agents that have long been inactive and of whom nothing is left. Returns whether there were any. */
    forgetSilentAgents: (now: number): boolean => silentAgents(retentionTimes(now)) > 0,
    nextDue: () => nextDue.get()!["due"] as number | null,
  };
}
