// Live messages of a PostgreSQL board in pieces of bounded size.
import type { Card } from "../../ports/store.ts";
import { CARD_COLUMNS, CARD_JOINS, toCard } from "./cards.ts";
import type { Client } from "./client.ts";

const ROWS = 256;
/** A reader that stalls holds about one piece in memory. */
const CHARS = 256 * 1024;

/** The rows before this one stay below the bound; the one that goes over it still comes along. */
const PIECE = `SELECT * FROM (
    SELECT ${CARD_COLUMNS}, sum(length(c.payload)) OVER (ORDER BY m.seq) - length(c.payload) AS before
    FROM (SELECT * FROM messages WHERE seq > $1 AND seq <= $2 AND expires_at > $3 ORDER BY seq LIMIT ${ROWS}) m ${CARD_JOINS}
  ) piece WHERE before < ${CHARS} ORDER BY seq`;

export async function dumped(client: Client, after: number, upTo: number, now: number): Promise<readonly Card[]> {
  const rows = await client.query<{ before: number }>(PIECE, [after, upTo, now]);
  return rows.map(({ before: _before, ...row }) => toCard(row));
}
