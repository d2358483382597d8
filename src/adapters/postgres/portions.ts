// Reads messages with their payloads in portions: a payload can have half a megabyte, and whoever asks for many pays for each portion before the next is read.
import { utf8Length } from "../../core/protocol/encoding.ts";
import { cost, nextSlice } from "../../ports/cpu-slices.ts";
import type { Raw } from "../../ports/store.ts";

/** A portion has one payload more than fits. */
const PORTION_BYTES = 1024 * 1024;

/** What is read in a millisecond, in this process and in the database's, approximately. */
const READ_PER_MS = { rows: 100, chars: 200_000 };
/** Charges the caller for reading so many rows, and payloads of so many characters together. */
export const costOfRows = (rows: number, chars = 0): void => cost(rows / READ_PER_MS.rows + chars / READ_PER_MS.chars);

interface PortionRow extends Raw {
  readonly seq: number;
  /** Bytes of the payloads before its own. */
  readonly before: number;
}

/** Reads the next portion of the messages `m` and contents `c`, in the order of seq; $2 is the seq after which it begins. */
export const portionSql = (columns: string, joins: string, where: string): string =>
  `SELECT * FROM (SELECT ${columns}, sum(octet_length(c.payload)) OVER (ORDER BY m.seq) - octet_length(c.payload) AS before
    FROM messages m ${joins} WHERE ${where} AND m.seq > $2) portion WHERE before < ${PORTION_BYTES} ORDER BY seq`;

/** All rows, one portion after the other; `read` reads the portion after a seq. The first is paid for afterwards, the others in advance. */
export async function* inPortions<Row>(read: (after: number) => Promise<readonly (Row & PortionRow)[]>): AsyncGenerator<Row & PortionRow> {
  for (let after = 0, paid = 0; ; await nextSlice()) {
    const rows = await read(after);
    const chars = rows.reduce((sum, { payload }) => sum + payload.length, 0);
    costOfRows(rows.length, Math.max(0, chars - paid));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || last.before + utf8Length(last.payload) < PORTION_BYTES) return;
    after = last.seq;
    paid = PORTION_BYTES;
    costOfRows(0, paid);
  }
}
