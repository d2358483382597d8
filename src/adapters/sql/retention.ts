// Deletes what is past its retention, and computes when the next thing is due; the same, in the same order, in every SQL store.
import { DAY_MS, MINUTE_MS } from "../../core/durations.ts";
import { oldestRetainedMinute } from "../../core/message/counts.ts";
import { FLOWS } from "../../core/message/message-state.ts";
import { LIMITS, REPORT_TEXT_MS } from "../../core/protocol/limits.ts";
import { TILE_WIDTH } from "../../core/tlog/tile.ts";

const BY_MINUTE = [...FLOWS, "hour"].map((field) => `'${field}'`).join(", ");
const WITH_TEXT = "(explanation <> '' OR contact IS NOT NULL)";
/** This many entries leave the log in one transaction. */
const ENTRIES_AT_ONCE = 16 * TILE_WIDTH;
/** This many agents per transaction, so that nobody waits for it. */
const AGENTS_AT_ONCE = 256;

export const PRUNE_EVERY_MS = MINUTE_MS;

/** For each kind: what is as old as this is deleted. */
export const retentionTimes = (now: number) => ({
  blobs: now,
  texts: now - REPORT_TEXT_MS,
  /** As text, like the labels of counts. */
  minute: oldestRetainedMinute(now),
  gone: now - LIMITS.gone_days * DAY_MS,
  acks: now - LIMITS.ack_days * DAY_MS,
  once: now - LIMITS.once_days * DAY_MS,
  agents: now - LIMITS.agent_days * DAY_MS,
  log: now - LIMITS.log_days * DAY_MS,
});
export type RetentionTimes = ReturnType<typeof retentionTimes>;

export interface Deletion {
  readonly kind: keyof RetentionTimes;
  readonly sql: (before: string) => string;
}

/** Texts that have their own retention, shorter than that of their messages and reports. Deleted as soon as they are due. */
export const DELETE_OVERDUE_TEXTS: readonly Deletion[] = [
  { kind: "blobs", sql: (now) => `DELETE FROM blobs WHERE expires_at <= ${now}` },
  {
    kind: "texts",
    sql: (before) => `UPDATE notices SET explanation = '', contact = NULL WHERE closed_at <= ${before} AND ${WITH_TEXT}`,
  },
];

/** Deleted in this order. */
export const PRUNE: readonly Deletion[] = [
  { kind: "minute", sql: (before) => `DELETE FROM tallies WHERE field IN (${BY_MINUTE}) AND label < ${before}` },
  {
    // The log position of a message whose tombstone is about to be deleted; if it was posted again, that of its last entry.
    kind: "gone",
    sql: (before) => `INSERT INTO past_messages (id, seq) SELECT id, seq FROM gone WHERE at <= ${before}
    ON CONFLICT (id) DO UPDATE SET seq = excluded.seq`,
  },
  { kind: "gone", sql: (before) => `DELETE FROM gone WHERE at <= ${before}` },
  { kind: "acks", sql: (before) => `DELETE FROM acks WHERE at <= ${before}` },
  { kind: "once", sql: (before) => `DELETE FROM arrived_once WHERE at <= ${before}` },
];

/**
 * Agents whose last act was at or before this. By then their messages, tombstones and aliases are gone; if something is late, or the
 * operator still needs them, they stay. Deleted after the batch is written, so that agents that have just become active again are kept.
 */
export const FORGET_SILENT_AGENTS: Deletion = {
  kind: "agents",
  sql: (before) => `DELETE FROM agents WHERE id IN (SELECT a.id FROM agents a WHERE a.last_seen <= ${before} AND a.line IS NULL
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.author = a.id)
    AND NOT EXISTS (SELECT 1 FROM aliases l WHERE l.agent = a.id AND l.ended_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.what = 'key' AND b.name = a.id)
    AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.target = a.id AND n.state = 'received')
    ORDER BY a.last_seen LIMIT ${AGENTS_AT_ONCE})`,
};

export const NEXT_DUE = `SELECT min(moment) AS due FROM (SELECT min(expires_at) AS moment FROM messages UNION ALL SELECT min(expires_at) FROM blobs
  UNION ALL SELECT min(check_at) FROM aliases WHERE check_at IS NOT NULL
  UNION ALL SELECT min(at) FROM withdrawals
  UNION ALL SELECT min(counts_at) FROM key_lines WHERE counts_at IS NOT NULL
  UNION ALL SELECT min(lease_until) FROM messages WHERE lease_until IS NOT NULL
  UNION ALL SELECT min(closed_at) + ${REPORT_TEXT_MS} FROM notices WHERE closed_at IS NOT NULL AND ${WITH_TEXT}) AS moments`;

/** How many of these entries fill whole tiles; a bound parameter may be a fractional number. */
const wholeTiles = (entries: string): string => `CAST(floor(${entries} / ${TILE_WIDTH}) AS bigint) * ${TILE_WIDTH}`;

/** Entries older than `before`, whose hashes stay in the tiles. */
export const TRIM = {
  /** The first entry that is younger than `before`; one past the newest if there is none. It is not far from the oldest. */
  firstYoung: (before: string) => `SELECT coalesce((SELECT seq FROM log WHERE at > ${before} ORDER BY seq LIMIT 1),
    (SELECT max(seq) + 1 FROM log), 1) AS young`,
  /**
   * The last entry of the last whole tile below `young`, or of an earlier tile if too many entries would be deleted at once. It stays, as
   * the anchor of the chain.
   */
  anchor: (young: string, least: string) => `SELECT ${least}(${wholeTiles(`(${young} - 1)`)},
    ${wholeTiles("coalesce((SELECT min(seq) FROM log), 0)")} + ${ENTRIES_AT_ONCE}) AS anchor`,
  /** What is deleted below the anchor, and from the entries above it that are not young. */
  deletions: (young: string, anchor: string, least: string): readonly string[] => [
    `DELETE FROM log WHERE seq < ${anchor}`,
    `DELETE FROM past_messages WHERE seq <= ${anchor}`,
    `UPDATE log SET detail = NULL WHERE seq < ${least}(${young}, ${anchor} + ${ENTRIES_AT_ONCE}) AND detail IS NOT NULL`,
  ],
};
