// Live messages of a PostgreSQL board in pieces of bounded size.
import type { Dumped } from "../../ports/dump.ts";
import type { Client } from "./client.ts";

const ROWS = 256;
/** A reader that stalls holds about one piece in memory. */
const CHARS = 256 * 1024;

/** The rows before this one stay below the bound; the one that goes over it still comes along. */
const PIECE = `SELECT id, seq, "receivedAt", "expiresAt", assisted, payload, sig, nonce FROM (
    SELECT m.id, m.seq, m.received_at AS "receivedAt", m.expires_at AS "expiresAt", m.assisted, c.payload, c.sig, c.nonce,
      sum(length(c.payload)) OVER (ORDER BY m.seq) - length(c.payload) AS before
    FROM (SELECT * FROM messages WHERE seq > $1 AND seq <= $2 AND expires_at > $3 ORDER BY seq LIMIT ${ROWS}) m JOIN contents c ON c.seq = m.seq
  ) piece WHERE before < ${CHARS} ORDER BY seq`;

export async function dumped(client: Client, after: number, upTo: number, now: number): Promise<readonly Dumped[]> {
  const rows = await client.query<Omit<Dumped, "assisted"> & { assisted: 0 | 1 }>(PIECE, [after, upTo, now]);
  return rows.map((row) => ({ ...row, assisted: row.assisted === 1 }));
}
