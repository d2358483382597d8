// What the writer's transaction asks and changes, as prepared statements.
import type { DatabaseSync } from "node:sqlite";
import { ADOPTED_REPLIES } from "../../core/message/standing.ts";
import { REPORT_TEXT_MS } from "../../core/protocol/limits.ts";
import { GONE_COLUMNS, STANDING_COLUMNS } from "../sql/rows.ts";

const EARLY_REPLIES = `(SELECT DISTINCT seq FROM refs WHERE target = ? AND rel = 'reply' ORDER BY seq LIMIT ${ADOPTED_REPLIES})`;

export function ledgerStatements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  const standing = (rest: string) => p(`SELECT ${STANDING_COLUMNS} FROM messages m ${rest}`);
  return {
    lastEntry: p("SELECT seq, hash, at FROM log ORDER BY seq DESC LIMIT 1"),
    insertEntry: p("INSERT INTO log (seq, at, type, id, detail, digest, hash, assisted) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
    anyTrace: p(`SELECT 1 FROM messages WHERE id = ?1 UNION ALL SELECT 1 FROM gone WHERE id = ?1
      UNION ALL SELECT 1 FROM refs WHERE target = ?1 UNION ALL SELECT 1 FROM strays WHERE root = ?1 LIMIT 1`),
    find: standing("WHERE m.id = ?"),
    // `LIMIT +?`: a bare `LIMIT ?` makes SQLite plan the whole statement anew each time it is bound.
    due: standing("WHERE m.expires_at <= ? ORDER BY m.expires_at LIMIT +?"),
    leasesOf: standing(
      "WHERE m.claimed_by = ? AND m.status = 'claimed' AND m.lease_until > ?2 AND m.expires_at > ?2 ORDER BY m.lease_until, m.seq LIMIT +?3",
    ),
    endedLeases: standing("WHERE m.lease_until <= ? ORDER BY m.lease_until LIMIT +?"),
    gone: p(`SELECT ${GONE_COLUMNS} FROM gone WHERE id = ?`),
    refsOf: p("SELECT rel, target AS id FROM refs WHERE seq = ? ORDER BY position"),
    repliesTo: p(
      "SELECT count(DISTINCT r.seq) AS count FROM refs r JOIN messages m ON m.seq = r.seq WHERE r.target = ? AND r.rel = 'reply' AND m.superseded_by IS NULL",
    ),
    insertMessage:
      p(`INSERT INTO messages (seq, id, author, kind, root, thread, received_at, expires_at, "to", bits, assisted, has_data, has_attachment,
      lang, replied_to, status, replies, duplicate_of, signal,
      verifies, refutes, answers, answers_verified, rejected, resolved_by_author) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0)`),
    insertContent: p("INSERT INTO contents (seq, payload, sig, nonce) VALUES (?, ?, ?, ?)"),
    insertLabel: p("INSERT INTO labels (field, label, seq, spelling) VALUES (?, ?, ?, ?)"),
    payload: p("SELECT payload FROM contents WHERE seq = ?"),
    dropLabel: p("DELETE FROM labels WHERE field = ? AND label = ? AND seq = ?"),
    insertInbox: p("INSERT INTO inbox (agent, seq, reply) VALUES (?, ?, ?)"),
    dropInbox: p("DELETE FROM inbox WHERE agent = ? AND seq = ?"),
    adoptReplies: p(`INSERT INTO inbox (agent, seq, reply)
      SELECT ?, r.seq, 1 FROM ${EARLY_REPLIES} r JOIN messages m ON m.seq = r.seq WHERE m.author <> ?
      ON CONFLICT (agent, seq) DO UPDATE SET reply = 1`),
    repliesAt: p(`SELECT seq FROM ${EARLY_REPLIES}`),
    noteReplies: p(`UPDATE messages SET replied_to = CASE WHEN replied_to IS NULL THEN ? ELSE replied_to || ' ' || ? END
      WHERE seq IN ${EARLY_REPLIES} AND author <> ? AND instr(coalesce(replied_to, ''), ?) = 0`),
    insertRef: p("INSERT INTO refs (seq, position, rel, target) VALUES (?, ?, ?, ?)"),
    putBlob: p(
      "INSERT INTO blobs (sha256, text, expires_at) VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET expires_at = excluded.expires_at",
    ),
    attach: p("INSERT OR IGNORE INTO attachments (sha256, seq) VALUES (?, ?)"),
    attachmentsOf: p("SELECT sha256 FROM attachments WHERE seq = ?"),
    detach: p("DELETE FROM attachments WHERE sha256 = ? AND seq = ?"),
    dropLooseBlob: p("DELETE FROM blobs WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM attachments WHERE sha256 = ?)"),
    update:
      p(`UPDATE messages SET status = ?, verifies = ?, refutes = ?, replies = ?, answers = ?, answers_verified = ?, rejected = ?, signals = ?,
      resolved_by_author = ?, claimed_by = ?, lease_until = ?, claim_seq = ?, superseded_by = ?, superseded_at = ? WHERE seq = ?`),
    eraseBySeq: [
      p("DELETE FROM contents WHERE seq = ?"),
      p("DELETE FROM refs WHERE seq = ?"),
      p("DELETE FROM votes WHERE target = ?"),
      p("DELETE FROM signals WHERE target = ?"),
      p("DELETE FROM answerers WHERE target = ?"),
      p("DELETE FROM barred WHERE target = ?"),
      p("DELETE FROM messages WHERE seq = ?"),
    ],
    insertGone: p(
      "INSERT OR REPLACE INTO gone (id, seq, author, kind, root, received_at, reason, at, statement, trace, restored, thread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    dropGone: p("DELETE FROM gone WHERE id = ?"),
    dropBlob: p("DELETE FROM blobs WHERE sha256 = ?"),
    nextDue: p(
      `SELECT min(due) AS due FROM (SELECT min(expires_at) AS due FROM messages UNION ALL SELECT min(expires_at) FROM blobs
        UNION ALL SELECT min(check_at) FROM aliases WHERE check_at IS NOT NULL
        UNION ALL SELECT min(at) FROM withdrawals
        UNION ALL SELECT min(lease_until) FROM messages WHERE lease_until IS NOT NULL
        UNION ALL SELECT min(closed_at) + ${REPORT_TEXT_MS} FROM notices
          WHERE closed_at IS NOT NULL AND (explanation <> '' OR contact IS NOT NULL))`,
    ),
    dropOldBlobs: p("DELETE FROM blobs WHERE expires_at <= ?"),
    dropOldGone: p("DELETE FROM gone WHERE at <= ?"),
    hasArrived: p("SELECT 1 FROM arrived_once WHERE key = ?"),
    noteArrival: p("INSERT INTO arrived_once (key, at) VALUES (?, ?)"),
    dropOldArrivals: p("DELETE FROM arrived_once WHERE at <= ?"),
  };
}
