// All live messages, in chunks.
import type { StoredMessage } from "../../ports/store.ts";
import type { SqlRows } from "./dialect.ts";

const ROWS = 256;
/** A stalled reader keeps about one chunk in memory. */
const BYTES = 256 * 1024;

/** Messages until their total size reaches the limit; the one that exceeds it is still included. */
const BATCH = `SELECT s.seq FROM (
    SELECT n.seq, sum(n.bytes) OVER (ORDER BY n.seq) - n.bytes AS before FROM (
      SELECT m.seq, octet_length(c.payload) AS bytes FROM messages m JOIN contents c ON c.seq = m.seq
      WHERE m.seq > $1 AND m.seq <= $2 AND c.seq > $1 AND c.seq <= $2 AND +m.expires_at > $3 ORDER BY m.seq LIMIT ${ROWS}) n
  ) s WHERE s.before < ${BYTES} ORDER BY s.seq`;

/** `storedMessages` returns the messages with these seqs, without those that have ended meanwhile. */
export async function dump(
  rows: SqlRows,
  storedMessages: (seqs: readonly number[]) => readonly StoredMessage[] | Promise<readonly StoredMessage[]>,
  { after, upTo, now }: { readonly after: number; readonly upTo: number; readonly now: number },
): Promise<readonly StoredMessage[]> {
  const seqs = (await rows.all<{ seq: number }>(BATCH, [after, upTo, now])).map(({ seq }) => seq);
  const last = seqs.at(-1);
  if (last === undefined) return [];
  const batch = await storedMessages(seqs);
  // An empty chunk would mean the end.
  return batch.length > 0 ? batch : dump(rows, storedMessages, { after: last, upTo, now });
}
