// The inbox of an agent: messages that reached it and changes of its own messages, each scanned from the newest, in steps, and merged.
import { CHANGE_REASONS, type ChangeReason, MESSAGE_REASONS, type MessageReason } from "../../core/message/inbox-types.ts";
import type { Position } from "../../core/query/order.ts";
import type { InboxQuery, InboxReads, InboxRow } from "../../ports/inbox.ts";
import { nextSlice } from "../../ports/cpu-slices.ts";
import { principalOf } from "./key-rows.ts";
import { VOTE } from "./rows.ts";
import { spelled, type SqlRows, type SqlValue } from "./dialect.ts";

/** Rows per step: the wanted entries may be far down. */
const ROWS_PER_READ = 512;

/** The message of an entry, to which the condition applies. */
interface AboutRow {
  readonly kind: string;
  readonly changed: number;
  readonly expiresAt: number;
  readonly supersededBy: string | null;
}
interface MessageRow extends AboutRow {
  readonly seq: number;
  readonly reply: number;
  readonly to: string | null;
  readonly receivedAt: number;
}
interface ChangeRow extends AboutRow {
  readonly seq: number;
  readonly target: number;
  readonly at: number;
  readonly reason: ChangeReason | "reply";
  readonly was: string | null;
  readonly became: string;
}

const ABOUT = `m.kind, m.changed, m.expires_at AS "expiresAt", m.superseded_by AS "supersededBy"`;
const MESSAGE_COLUMNS = `i.seq, i.reply, m."to", m.received_at AS "receivedAt", ${ABOUT}`;
/** Entries between two places, from either end. */
const messages = (order: "" | "DESC"): string => `SELECT ${MESSAGE_COLUMNS} FROM (
    SELECT seq, reply FROM inbox WHERE agent = $1 AND seq > $2 AND seq < $3 ORDER BY seq ${order} LIMIT ${ROWS_PER_READ}
  ) i JOIN messages m ON m.seq = i.seq ORDER BY i.seq ${order}`;
const [MESSAGES, OLD_MESSAGES] = [messages("DESC"), messages("")];
const THESE = spelled(
  ({
    each,
  }) => `SELECT ${MESSAGE_COLUMNS} FROM ${each("$4", "number", "o")} JOIN inbox i ON i.seq = o.value JOIN messages m ON m.seq = i.seq
    WHERE i.agent = $1 AND i.seq > $2 AND i.seq < $3 ORDER BY i.seq DESC`,
);
const changes = (order: "" | "DESC"): string => `SELECT c.seq, c.target, c.at, c.reason, c.was, c.became, ${ABOUT} FROM (
    SELECT seq, target, at, reason, was, became FROM inbox_changes
    WHERE agent = ${principalOf("$1")} AND (seq, target) > ($2, $3) AND (seq, target) < ($4, $5) ORDER BY seq ${order}, target ${order} LIMIT ${ROWS_PER_READ}
  ) c JOIN messages m ON m.seq = c.target ORDER BY c.seq ${order}, c.target ${order}`;
const [CHANGES, OLD_CHANGES] = [changes("DESC"), changes("")];

export const inboxReads = (rows: SqlRows): InboxReads => ({
  async inbox(query) {
    const found = [...(await changesOf(rows, query))];
    const reached = new Set<number>();
    for (const key of query.keys) {
      for (const row of await messagesOf(rows, query, key)) {
        if (!reached.has(row.position.seq)) found.push(row);
        reached.add(row.position.seq);
      }
    }
    const turn = query.oldest ? -1 : 1;
    return found.sort((a, b) => turn * (b.position.key - a.position.key || b.position.seq - a.position.seq)).slice(0, query.limit);
  },
});

const isShown = ({ kind, expiresAt, supersededBy }: AboutRow, { kinds, now }: InboxQuery): boolean =>
  expiresAt > now && supersededBy === null && (kinds === undefined || kinds.includes(kind));

interface Between {
  /** Both places are excluded. */
  readonly low: Position;
  readonly high: Position;
}

/** The requested range: after a seq, up to the newest entry, and from where the last page ended. */
function rangeOf({ place, oldest, upTo }: InboxQuery, afterSeq: number): Between {
  const whole = { low: { key: afterSeq, seq: Number.MAX_SAFE_INTEGER }, high: { key: upTo + 1, seq: 0 } };
  return place === undefined ? whole : { ...whole, ...(oldest ? { low: place } : { high: place }) };
}

/**
 * The position of a message has its seq both as key and as seq. If a page ended at a change with the same key, the message may still
 * follow.
 */
const lastBelow = ({ key, seq }: Position): number => (seq >= key ? key : key - 1);
const firstAbove = ({ key, seq }: Position): number => (seq > key ? key + 1 : key);

async function messagesOf(rows: SqlRows, query: InboxQuery, key: string): Promise<readonly InboxRow[]> {
  const { keys, reasons, afterSeq, changedAfter = -1, only, since, oldest, limit } = query;
  if (!MESSAGE_REASONS.some((reason) => reasons.has(reason))) return [];
  const reasonOf = ({ kind, to, reply }: MessageRow): MessageReason =>
    kind === "email" ? "email" : to !== null && keys.includes(to) ? "addressed" : reply === VOTE ? "vote" : "reply";
  const fitting = (found: readonly MessageRow[]): InboxRow[] =>
    found
      .filter((row) => isShown(row, query) && row.changed > changedAfter && row.receivedAt >= since && reasons.has(reasonOf(row)))
      .map((row) => ({ position: { key: row.seq, seq: row.seq }, at: row.receivedAt, reason: reasonOf(row) }));
  const range = rangeOf(query, afterSeq);
  const [low, high] = [oldest ? lastBelow(range.low) : range.low.key, oldest ? range.high.key : firstAbove(range.high)];
  if (only !== undefined) {
    const values: SqlValue[] = [key, low, high, rows.dialect.list(only)];
    const found = fitting(await rows.all<MessageRow>(THESE(rows), values));
    return (oldest ? found.toReversed() : found).slice(0, limit);
  }
  return walk(limit, oldest ? low : high, async (from) => {
    const batch = await rows.all<MessageRow>(oldest ? OLD_MESSAGES : MESSAGES, oldest ? [key, from, high] : [key, low, from]);
    return { rows: fitting(batch), next: batch.length < ROWS_PER_READ ? undefined : batch.at(-1)?.seq };
  });
}

async function changesOf(rows: SqlRows, query: InboxQuery): Promise<readonly InboxRow[]> {
  const { agent, reasons, afterSeq, changedAfter = -1, since, oldest, limit } = query;
  const after = Math.max(afterSeq, changedAfter, 0);
  // A reply has a change entry of its own only for agents that have already read past it.
  if (!CHANGE_REASONS.some((reason) => reasons.has(reason)) && (after === 0 || !reasons.has("reply"))) return [];
  const isByMessage = ({ reason, target, changed }: ChangeRow): boolean =>
    reason === "reply" && target > afterSeq && changed > changedAfter;
  // A lease that ended is a new status too, so a caller that asks for statuses alone gets it as one.
  const reasonOf = ({ reason }: ChangeRow): ChangeRow["reason"] => (reason === "lease" && !reasons.has("lease") ? "status" : reason);
  const { low, high } = rangeOf(query, after);
  return walk(limit, oldest ? low : high, async (from) => {
    const [least, most] = oldest ? [from, high] : [low, from];
    const values = [agent, least.key, least.seq, most.key, most.seq];
    const batch = await rows.all<ChangeRow>(oldest ? OLD_CHANGES : CHANGES, values);
    const last = batch.at(-1);
    return {
      rows: batch
        .filter((row) => isShown(row, query) && row.at >= since && reasons.has(reasonOf(row)) && !isByMessage(row))
        .map((row) => ({
          position: { key: row.seq, seq: row.target },
          at: row.at,
          reason: reasonOf(row),
          was: row.was,
          became: row.became,
        })),
      next: batch.length < ROWS_PER_READ || last === undefined ? undefined : { key: last.seq, seq: last.target },
    };
  });
}

/** In steps until there is enough; other requests run in between. */
async function walk<From>(
  limit: number,
  start: From,
  look: (from: From) => Promise<{ readonly rows: readonly InboxRow[]; readonly next: From | undefined }>,
): Promise<readonly InboxRow[]> {
  const found: InboxRow[] = [];
  for (let from: From | undefined = start; from !== undefined && found.length < limit;) {
    const { rows, next } = await look(from);
    found.push(...rows);
    from = next;
    if (from !== undefined) await nextSlice();
  }
  return found.slice(0, limit);
}
