// Messages with everything that a view needs, in one statement.
import type { StoredMessage, Raw } from "../../ports/store.ts";
import { READ_AT } from "../sql/acks.ts";
import { VERIFIED_WORK } from "../sql/agents.ts";
import { unknownAuthor, unknownThread } from "../sql/known-message.ts";
import type { SeenOf } from "../sql/message-caches.ts";
import { STATE_COLUMNS, toMessageState } from "../sql/rows.ts";

/** Facts about author and thread, which change with every post by the author or in the thread. */
export const FACT_COLUMNS = `a.first_seen AS "firstSeen", a.messages AS "authorMessages", a.line AS "authorLine", w.count AS "authorVerified",
  t.messages AS "threadMessages", t.last_activity AS "lastActivity", ${READ_AT} AS "readAt"`;
export const FACT_JOINS = `LEFT JOIN agents a ON a.id = m.author LEFT JOIN threads t ON t.root = m.root
  LEFT JOIN agent_tallies w ON w.agent = coalesce(m.principal, m.author) AND ${VERIFIED_WORK}`;
export const STORED_MESSAGE_COLUMNS = `${STATE_COLUMNS}, c.payload, c.sig, c.nonce, ${FACT_COLUMNS}`;
/** The facts that belong to the messages `m` of a statement. */
export const STORED_MESSAGE_JOINS = `JOIN contents c ON c.seq = m.seq ${FACT_JOINS}`;

export interface FactRow {
  readonly firstSeen: number | null;
  readonly authorMessages: number | null;
  readonly authorLine: string | null;
  readonly authorVerified: number | null;
  readonly threadMessages: number | null;
  readonly lastActivity: number | null;
  readonly readAt: number | null;
}

export const toStoredMessage =
  (seenOf: SeenOf) =>
  (row: unknown): StoredMessage => {
    const { payload, sig, nonce } = row as Raw;
    const state = toMessageState(row);
    return storedMessageOf({ state, raw: { payload, sig, nonce }, seen: seenOf(state.id) }, row as FactRow);
  };

export function storedMessageOf(
  { state, raw, seen }: Pick<StoredMessage, "state" | "raw" | "seen">,
  { firstSeen, authorMessages, authorLine, authorVerified, threadMessages, lastActivity, readAt }: FactRow,
): StoredMessage {
  return {
    state,
    raw,
    seen,
    author: {
      ...(firstSeen === null || authorMessages === null ? unknownAuthor(state) : { firstSeen, messages: authorMessages }),
      line: authorLine,
      verified: authorVerified ?? 0,
    },
    thread: threadMessages === null || lastActivity === null ? unknownThread(state) : { messages: threadMessages, lastActivity },
    readAt,
  };
}
