// Messages with all that a view of them needs, in one statement.
import type { StoredMessage, Raw } from "../../ports/store.ts";
import { READ_AT } from "../sql/acks.ts";
import type { SeenOf } from "../sql/card-memory.ts";
import { STANDING_COLUMNS, toStanding } from "../sql/rows.ts";

/** Of author and thread, which change with every post of theirs. */
export const FACT_COLUMNS = `a.first_seen AS "firstSeen", a.messages AS "authorMessages", a.line AS "authorLine",
  t.messages AS "threadMessages", t.last_activity AS "lastActivity", ${READ_AT} AS "readAt"`;
export const FACT_JOINS = `LEFT JOIN agents a ON a.id = m.author LEFT JOIN threads t ON t.root = m.root`;
export const CARD_COLUMNS = `${STANDING_COLUMNS}, c.payload, c.sig, c.nonce, ${FACT_COLUMNS}`;
/** What belongs to the messages `m` of a statement. */
export const CARD_JOINS = `JOIN contents c ON c.seq = m.seq ${FACT_JOINS}`;

export interface FactRow {
  readonly firstSeen: number | null;
  readonly authorMessages: number | null;
  readonly authorLine: string | null;
  readonly threadMessages: number | null;
  readonly lastActivity: number | null;
  readonly readAt: number | null;
}

export const toCard =
  (seenOf: SeenOf) =>
  (row: unknown): StoredMessage => {
    const { payload, sig, nonce, firstSeen, authorMessages, authorLine, threadMessages, lastActivity, readAt, ...rest } = row as Raw &
      FactRow;
    const standing = toStanding(rest);
    const kept = { standing, raw: { payload, sig, nonce }, seen: seenOf(standing.id) };
    return cardOf(kept, { firstSeen, authorMessages, authorLine, threadMessages, lastActivity, readAt });
  };

export function cardOf(
  { standing, raw, seen }: Pick<StoredMessage, "standing" | "raw" | "seen">,
  { firstSeen, authorMessages, authorLine, threadMessages, lastActivity, readAt }: FactRow,
): StoredMessage {
  return {
    standing,
    raw,
    seen,
    author: { firstSeen: firstSeen ?? standing.receivedAt, messages: authorMessages ?? 1, line: authorLine },
    thread: { messages: threadMessages ?? 0, lastActivity: lastActivity ?? standing.receivedAt },
    readAt,
  };
}
