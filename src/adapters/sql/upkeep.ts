// What is kept no longer than it may be, and when the next thing is due; each statement takes the moment that its limit stands for.
import { FLOWS } from "../../core/message/message-state.ts";
import { REPORT_TEXT_MS } from "../../core/protocol/limits.ts";

const BY_MINUTE = [...FLOWS, "hour"].map((field) => `'${field}'`).join(", ");
const WITH_TEXT = "(explanation <> '' OR contact IS NOT NULL)";
/** So many agents in one transaction, so that nobody waits for it. */
const AGENTS_AT_ONCE = 256;

export const UPKEEP = {
  /** Attachments have a time of their own, shorter than that of their messages. */
  dropBlobs: (now: string) => `DELETE FROM blobs WHERE expires_at <= ${now}`,
  /** So has what people wrote in reports. That there was a case stays. */
  dropReportTexts: (before: string) => `UPDATE notices SET explanation = '', contact = NULL WHERE closed_at <= ${before} AND ${WITH_TEXT}`,
  dropMinutes: (before: string) => `DELETE FROM tallies WHERE field IN (${BY_MINUTE}) AND label < ${before}`,
  dropGone: (before: string) => `DELETE FROM gone WHERE at <= ${before}`,
  dropAcks: (before: string) => `DELETE FROM acks WHERE at <= ${before}`,
  dropArrivals: (before: string) => `DELETE FROM arrived_once WHERE at <= ${before}`,
  /**
   * Agents whose last act was at or before this. After so long their messages, tombstones and aliases are gone; where something is late,
   * or the operator still has to do with them, they stay.
   */
  dropSilentAgents: (before: string) => `DELETE FROM agents WHERE id IN (SELECT a.id FROM agents a WHERE a.last_seen <= ${before}
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.author = a.id)
    AND NOT EXISTS (SELECT 1 FROM aliases l WHERE l.agent = a.id AND l.ended_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.what = 'key' AND b.name = a.id)
    AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.target = a.id AND n.state = 'received')
    ORDER BY a.last_seen LIMIT ${AGENTS_AT_ONCE})`,
};

export const NEXT_DUE = `SELECT min(moment) AS due FROM (SELECT min(expires_at) AS moment FROM messages UNION ALL SELECT min(expires_at) FROM blobs
  UNION ALL SELECT min(check_at) FROM aliases WHERE check_at IS NOT NULL
  UNION ALL SELECT min(at) FROM withdrawals
  UNION ALL SELECT min(lease_until) FROM messages WHERE lease_until IS NOT NULL
  UNION ALL SELECT min(closed_at) + ${REPORT_TEXT_MS} FROM notices WHERE closed_at IS NOT NULL AND ${WITH_TEXT}) AS moments`;
