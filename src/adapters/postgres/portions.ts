// Reads messages with their payloads in portions: a payload can have half a megabyte, and whoever asks for many pays for each portion before the next is read.
import { utf8Length } from "../../core/protocol/encoding.ts";
import { cost, nextSlice } from "../../ports/cpu-slices.ts";
import type { Raw } from "../../ports/store.ts";

/** A portion has one payload more than fits. */
const PORTION_BYTES = 1024 * 1024;

/** What is read in a millisecond, in this process and in the database's, approximately. */
const READ_PER_MS = { rows: 100, bytes: 200_000 };
/** Charges the caller for reading so many rows, and payloads of so many bytes together. */
export const costOfRows = (rows: number, bytes = 0): void => cost(rows / READ_PER_MS.rows + bytes / READ_PER_MS.bytes);

interface PortionRow extends Raw {
  readonly seq: number;
  /** Bytes of the payloads before its own, and of all that are not read yet. */
  readonly before: number;
  readonly total: number;
}

/**
 * Reads the next portion of messages, in the order of seq; $2 is the seq after which it begins. `columns` are those of messages `m`, contents
 * `c` and what is joined to them, for the messages of this portion only; `where` is about messages `m`.
 */
export const portionSql = (columns: string, joins: string, where: string): string =>
  `SELECT ${columns}, p.before, p.total FROM (
    SELECT m.seq, sum(octet_length(c.payload)) OVER (ORDER BY m.seq) - octet_length(c.payload) AS before, sum(octet_length(c.payload)) OVER () AS total
    FROM messages m JOIN contents c ON c.seq = m.seq WHERE ${where} AND m.seq > $2) p
  JOIN messages m ON m.seq = p.seq JOIN contents c ON c.seq = m.seq ${joins} WHERE p.before < ${PORTION_BYTES} ORDER BY m.seq`;

/** All rows, one portion after the other; `read` reads the portion after a seq. The first is paid for afterwards, the others in advance. */
export async function* inPortions<Row>(read: (after: number) => Promise<readonly (Row & PortionRow)[]>): AsyncGenerator<Row & PortionRow> {
  for (let after = 0, paid = 0; ; await nextSlice()) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    const bytes = last.before + utf8Length(last.payload);
    costOfRows(rows.length, Math.max(0, bytes - paid));
    yield* rows;
    if (bytes >= last.total) return;
    after = last.seq;
    paid = Math.min(PORTION_BYTES, last.total - bytes);
    costOfRows(0, paid);
  }
}
