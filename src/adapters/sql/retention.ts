// Deletes what is past its retention, and computes when the next thing is due; each statement takes the time that its limit refers to.
import { FLOWS } from "../../core/message/message-state.ts";
import { TILE_WIDTH } from "../../core/tlog/tile.ts";
import { REPORT_TEXT_MS } from "../../core/protocol/limits.ts";

const BY_MINUTE = [...FLOWS, "hour"].map((field) => `'${field}'`).join(", ");
const WITH_TEXT = "(explanation <> '' OR contact IS NOT NULL)";
/** This many entries leave the log in one transaction. */
const ENTRIES_AT_ONCE = 16 * TILE_WIDTH;
/** This many agents per transaction, so that nobody waits for it. */
const AGENTS_AT_ONCE = 256;

export const UPKEEP = {
  /** Attachments have their own retention, shorter than that of their messages. */
  dropBlobs: (now: string) => `DELETE FROM blobs WHERE expires_at <= ${now}`,
  /** The text of reports has its own retention too. The report itself stays. */
  dropReportTexts: (before: string) => `UPDATE notices SET explanation = '', contact = NULL WHERE closed_at <= ${before} AND ${WITH_TEXT}`,
  dropMinutes: (before: string) => `DELETE FROM tallies WHERE field IN (${BY_MINUTE}) AND label < ${before}`,
  /** The log position of a message whose tombstone is about to be deleted; if it was posted again, that of its last entry. */
  keepPast: (before: string) => `INSERT INTO past_messages (id, seq) SELECT id, seq FROM gone WHERE at <= ${before}
    ON CONFLICT (id) DO UPDATE SET seq = excluded.seq`,
  dropTombstones: (before: string) => `DELETE FROM gone WHERE at <= ${before}`,
  dropAcks: (before: string) => `DELETE FROM acks WHERE at <= ${before}`,
  dropArrivals: (before: string) => `DELETE FROM arrived_once WHERE at <= ${before}`,
  /**
   * Agents whose last act was at or before this. By then their messages, tombstones and aliases are gone; if something is late, or the
   * operator still needs them, they stay.
   */
  dropSilentAgents: (
    before: string,
  ) => `DELETE FROM agents WHERE id IN (SELECT a.id FROM agents a WHERE a.last_seen <= ${before} AND a.line IS NULL
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
  dropEntries: (anchor: string) => `DELETE FROM log WHERE seq < ${anchor}`,
  dropPast: (anchor: string) => `DELETE FROM past_messages WHERE seq <= ${anchor}`,
  eraseDetails: (young: string, anchor: string, least: string) =>
    `UPDATE log SET detail = NULL WHERE seq < ${least}(${young}, ${anchor} + ${ENTRIES_AT_ONCE}) AND detail IS NOT NULL`,
};
