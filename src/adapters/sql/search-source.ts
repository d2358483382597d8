// What the search index reads of a board.
import { GENESIS } from "../../core/log/chain.ts";
import { type EndedMessage, toDeparture } from "../../core/message/search-index-erasure.ts";
import { END_REASONS } from "../../core/message/message-state.ts";
import type { SearchSource, SourceMessage } from "../../ports/search.ts";
import { first, type SqlRows } from "./dialect.ts";

/** The size of one read, unless a single message is larger: reading hundreds of the largest takes a second, and searches wait. */
const MOST_BYTES = 512 * 1024;

/** Messages until their total size reaches the limit; the one that exceeds it is still included. */
const MESSAGES = `SELECT c.seq, c.payload, s.bytes FROM (
    SELECT n.seq, n.bytes, sum(n.bytes) OVER (ORDER BY n.seq) - n.bytes AS before
    FROM (SELECT seq, octet_length(payload) AS bytes FROM contents WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3) n
  ) s JOIN contents c ON c.seq = s.seq WHERE s.before < ${MOST_BYTES} ORDER BY c.seq`;
// The log keeps the ending longer than there is a tombstone: an index that slept meanwhile hears of it too.
const ENDED = `SELECT coalesce(g.seq, p.seq) AS seq, l.type FROM log l LEFT JOIN gone g ON g.id = l.id LEFT JOIN past_messages p ON p.id = l.id
  WHERE l.seq > $1 AND l.seq <= $2 AND l.type IN (${Object.keys(END_REASONS)
    .map((type) => `'${type}'`)
    .join(", ")}) AND (g.seq IS NOT NULL OR p.seq IS NOT NULL)`;
// A message that was restored and posted again has no tombstone any more. That is rare; only then the log is scanned.
const RESTORED = "SELECT DISTINCT id FROM log WHERE seq > $1 AND seq <= $2 AND type = 'restore'";

export function searchSource(rows: SqlRows, close: SearchSource["close"]): SearchSource {
  const { dialect } = rows;
  const formerSql = `SELECT seq, 'remove' AS type FROM log l WHERE type = 'create' AND ${dialect.among("id", "$1", "text")}
    AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.seq = l.seq)`;
  const messages = (after: number, upTo: number, limit: number) =>
    rows.all<SourceMessage & { bytes: number }>(MESSAGES, [after, upTo, limit]);
  return {
    head: async () => (await first<{ seq: number | null }>(rows, "SELECT max(seq) AS seq FROM log", []))?.seq ?? 0,
    hashAt: async (seq) =>
      seq === 0 ? GENESIS : (await first<{ hash: string }>(rows, "SELECT hash FROM log WHERE seq = $1", [seq]))?.hash,
    async changes(after, last) {
      const arrived = await messages(after, last, last - after);
      const isAll = arrived.reduce((sum, { bytes }) => sum + bytes, 0) < MOST_BYTES;
      const upTo = isAll ? last : (arrived.at(-1)?.seq ?? last);
      const [departed, restored] = await Promise.all([
        rows.all<EndedMessage>(ENDED, [after, upTo]),
        rows.all<{ id: string }>(RESTORED, [after, upTo]),
      ]);
      const replaced = restored.length === 0 ? [] : await rows.all<EndedMessage>(formerSql, [dialect.list(restored.map(({ id }) => id))]);
      return { ended: [...departed, ...replaced].map(toDeparture), arrived, upTo };
    },
    messages,
    close,
  };
}
