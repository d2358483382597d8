// All live messages, a piece at a time.
import type { StoredMessage } from "../../ports/store.ts";
import type { SqlRows } from "./dialect.ts";

const ROWS = 256;
/** A reader that stalls holds about one piece in memory. */
const BYTES = 256 * 1024;

/** The messages before each of these stay below the bound; the one that goes over it still comes along. */
const PIECE = `SELECT s.seq FROM (
    SELECT n.seq, sum(n.bytes) OVER (ORDER BY n.seq) - n.bytes AS before FROM (
      SELECT m.seq, octet_length(c.payload) AS bytes FROM messages m JOIN contents c ON c.seq = m.seq
      WHERE m.seq > $1 AND m.seq <= $2 AND c.seq > $1 AND c.seq <= $2 AND +m.expires_at > $3 ORDER BY m.seq LIMIT ${ROWS}) n
  ) s WHERE s.before < ${BYTES} ORDER BY s.seq`;

/** `cards` gives the messages with these seqs, without those that have gone in the meantime. */
export async function dump(
  rows: SqlRows,
  cards: (seqs: readonly number[]) => readonly StoredMessage[] | Promise<readonly StoredMessage[]>,
  { after, upTo, now }: { readonly after: number; readonly upTo: number; readonly now: number },
): Promise<readonly StoredMessage[]> {
  const seqs = (await rows.all<{ seq: number }>(PIECE, [after, upTo, now])).map(({ seq }) => seq);
  const last = seqs.at(-1);
  if (last === undefined) return [];
  const piece = await cards(seqs);
  // None would mean that there are no more.
  return piece.length > 0 ? piece : dump(rows, cards, { after: last, upTo, now });
}
