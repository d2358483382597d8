// The inbox of an agent: messages that reached it and changes of its own, each walked from the newest, a step at a time, and merged.
import { CHANGE_REASONS, type ChangeReason, MESSAGE_REASONS, type MessageReason } from "../../core/message/inbox-change.ts";
import type { Position } from "../../core/query/order.ts";
import type { InboxQuery, InboxRow } from "../../ports/inbox.ts";
import { nextSlice } from "../../ports/share.ts";
import { principalOf } from "./key-rows.ts";
import { VOTE } from "./batch/changed-rows.ts";
import { spelled, type SqlRows, type SqlValue } from "./dialect.ts";

/** Rows that are looked at in one go: what is asked for may be far down. */
const STEP = 512;

/** What an entry is judged by: the message that it is about. */
interface AboutRow {
  readonly kind: string;
  readonly expiresAt: number;
  readonly supersededBy: string | null;
}
interface MessageRow extends AboutRow {
  readonly seq: number;
  readonly reply: number;
  readonly to: string | null;
  readonly changed: number;
  readonly receivedAt: number;
}
interface ChangeRow extends AboutRow {
  readonly seq: number;
  readonly target: number;
  readonly at: number;
  readonly reason: ChangeReason;
  readonly was: string | null;
  readonly became: string;
}

const ABOUT = `m.kind, m.expires_at AS "expiresAt", m.superseded_by AS "supersededBy"`;
const MESSAGE_COLUMNS = `i.seq, i.reply, m."to", m.changed, m.received_at AS "receivedAt", ${ABOUT}`;
const MESSAGES = `SELECT ${MESSAGE_COLUMNS} FROM (
    SELECT seq, reply FROM inbox WHERE agent = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT ${STEP}
  ) i JOIN messages m ON m.seq = i.seq ORDER BY i.seq DESC`;
const THESE = spelled(
  ({
    each,
  }) => `SELECT ${MESSAGE_COLUMNS} FROM ${each("$4", "number", "o")} JOIN inbox i ON i.seq = o.value JOIN messages m ON m.seq = i.seq
    WHERE i.agent = $1 AND i.seq > $2 AND i.seq < $3 ORDER BY i.seq DESC`,
);
const CHANGES = `SELECT c.seq, c.target, c.at, c.reason, c.was, c.became, ${ABOUT} FROM (
    SELECT seq, target, at, reason, was, became FROM inbox_changes
    WHERE agent = ${principalOf("$1")} AND seq > $2 AND (seq, target) < ($3, $4) ORDER BY seq DESC, target DESC LIMIT ${STEP}
  ) c JOIN messages m ON m.seq = c.target ORDER BY c.seq DESC, c.target DESC`;

export async function inbox(rows: SqlRows, query: InboxQuery): Promise<readonly InboxRow[]> {
  const found = [...(await changesOf(rows, query))];
  const reached = new Set<number>();
  for (const key of query.keys) {
    for (const row of await messagesOf(rows, query, key)) {
      if (!reached.has(row.position.seq)) found.push(row);
      reached.add(row.position.seq);
    }
  }
  return found.sort((a, b) => b.position.key - a.position.key || b.position.seq - a.position.seq).slice(0, query.limit);
}

const isShown = ({ kind, expiresAt, supersededBy }: AboutRow, { kinds, now }: InboxQuery): boolean =>
  expiresAt > now && supersededBy === null && (kinds === undefined || kinds.includes(kind));

/** Where a walk begins: at the place before which it was left, or at the newest entry. */
const startOf = ({ before, upTo }: InboxQuery): Position => before ?? { key: upTo + 1, seq: 0 };

async function messagesOf(rows: SqlRows, query: InboxQuery, key: string): Promise<readonly InboxRow[]> {
  const { keys, reasons, afterSeq, changedAfter = -1, only, since, limit } = query;
  if (!MESSAGE_REASONS.some((reason) => reasons.has(reason))) return [];
  const reasonOf = ({ kind, to, reply }: MessageRow): MessageReason =>
    kind === "email" ? "email" : to !== null && keys.includes(to) ? "addressed" : reply === VOTE ? "vote" : "reply";
  const fitting = (found: readonly MessageRow[]): InboxRow[] =>
    found
      .filter((row) => isShown(row, query) && row.changed > changedAfter && row.receivedAt >= since && reasons.has(reasonOf(row)))
      .map((row) => ({ position: { key: row.seq, seq: row.seq }, at: row.receivedAt, reason: reasonOf(row) }));
  if (only !== undefined) {
    const values: SqlValue[] = [key, afterSeq, startOf(query).key, rows.dialect.list(only)];
    return fitting(await rows.all<MessageRow>(THESE(rows), values)).slice(0, limit);
  }
  return walk(limit, startOf(query).key, async (from) => {
    const step = await rows.all<MessageRow>(MESSAGES, [key, afterSeq, from]);
    return { rows: fitting(step), next: step.length < STEP ? undefined : step.at(-1)?.seq };
  });
}

async function changesOf(rows: SqlRows, query: InboxQuery): Promise<readonly InboxRow[]> {
  const { agent, reasons, since, limit } = query;
  if (!CHANGE_REASONS.some((reason) => reasons.has(reason))) return [];
  const after = Math.max(query.afterSeq, query.changedAfter ?? 0);
  // A lease that ended is a new status too: whoever asks for those alone hears of it as one.
  const reasonOf = ({ reason }: ChangeRow): ChangeReason => (reason === "lease" && !reasons.has("lease") ? "status" : reason);
  return walk(limit, startOf(query), async (from) => {
    const step = await rows.all<ChangeRow>(CHANGES, [agent, after, from.key, from.seq]);
    const last = step.at(-1);
    return {
      rows: step
        .filter((row) => isShown(row, query) && row.at >= since && reasons.has(reasonOf(row)))
        .map((row) => ({
          position: { key: row.seq, seq: row.target },
          at: row.at,
          reason: reasonOf(row),
          was: row.was,
          became: row.became,
        })),
      next: step.length < STEP || last === undefined ? undefined : { key: last.seq, seq: last.target },
    };
  });
}

/** Step by step until there is enough, with a turn for others in between. */
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
