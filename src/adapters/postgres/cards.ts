// Messages with all that a view of them needs, in one statement.
import type { Card, Raw } from "../../ports/store.ts";
import { STANDING_COLUMNS, toStanding } from "../sql/rows.ts";

export const CARD_COLUMNS = `${STANDING_COLUMNS}, c.payload, c.sig, c.nonce, a.first_seen AS "firstSeen", a.messages AS "authorMessages",
  t.messages AS "threadMessages", t.last_activity AS "lastActivity"`;

/** What belongs to the messages `m` of a statement. */
export const CARD_JOINS = `JOIN contents c ON c.seq = m.seq LEFT JOIN agents a ON a.id = m.author LEFT JOIN threads t ON t.root = m.root`;

interface CardRow extends Raw {
  readonly firstSeen: number | null;
  readonly authorMessages: number | null;
  readonly threadMessages: number | null;
  readonly lastActivity: number | null;
}

export function toCard(row: unknown): Card {
  const { payload, sig, nonce, firstSeen, authorMessages, threadMessages, lastActivity, ...rest } = row as CardRow;
  const standing = toStanding(rest);
  return {
    standing,
    raw: { payload, sig, nonce },
    author: { firstSeen: firstSeen ?? standing.receivedAt, messages: authorMessages ?? 1 },
    thread: { messages: threadMessages ?? 0, lastActivity: lastActivity ?? standing.receivedAt },
  };
}
