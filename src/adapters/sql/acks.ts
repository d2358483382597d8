// Acknowledgements as stored, and for readers.
import type { AckRow } from "../../core/message/ack-state.ts";
import type { AckReads, ReadMark } from "../../ports/acks.ts";
import { rowsFrom } from "./columns.ts";
import { first, type SqlRows } from "./dialect.ts";
import { principalOf } from "./key-rows.ts";

export function toAck(row: unknown): AckRow {
  const { moved, skipped, ...rest } = row as Omit<AckRow, "moved" | "skipped"> & { readonly moved: 0 | 1; readonly skipped: string };
  return { ...rest, moved: moved === 1, skipped: skipped === "" ? [] : skipped.split(" ") };
}

const ONE = `${rowsFrom("acks")} WHERE id = $1`;
const READING = `SELECT seen, last_ack AS "lastAck" FROM agents WHERE id = ${principalOf("$1")}`;
/** When the addressee first acknowledged having read the message `m`; acknowledgements are kept as long as any message lives. */
export const READ_AT = `CASE WHEN m."to" IS NOT NULL THEN
  (SELECT k.at FROM acks k WHERE k.moved = 1 AND k.agent = ${principalOf('m."to"')} AND k.seen >= m.seq ORDER BY k.seen LIMIT 1) END`;

export const ackReads = (rows: SqlRows): AckReads => ({
  async ack(id) {
    const row = await first<object>(rows, ONE, [id]);
    return row === undefined ? undefined : toAck(row);
  },
  reading: async (agent) => (await first<ReadMark>(rows, READING, [agent])) ?? { seen: 0, lastAck: null },
});
