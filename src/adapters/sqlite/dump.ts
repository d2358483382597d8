// All live messages in SQLite, a piece at a time; each piece is a read transaction of its own and soon over.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Dumped } from "../../ports/dump.ts";

const ROWS = 256;
/** A reader that stalls holds about one piece in memory. */
const CHARS = 256 * 1024;

export class SqliteDump {
  readonly #after: StatementSync;

  constructor(db: DatabaseSync) {
    this.#after =
      db.prepare(`SELECT m.id, m.seq, m.received_at AS receivedAt, m.expires_at AS expiresAt, m.assisted, c.payload, c.sig, c.nonce
      FROM messages m CROSS JOIN contents c ON c.seq = m.seq WHERE m.seq > ? AND m.seq <= ? AND +m.expires_at > ? ORDER BY m.seq LIMIT ${ROWS}`);
  }

  read(after: number, upTo: number, now: number): Dumped[] {
    const piece: Dumped[] = [];
    let chars = 0;
    for (const row of this.#after.iterate(after, upTo, now)) {
      const one = row as unknown as Omit<Dumped, "assisted"> & { assisted: 0 | 1 };
      piece.push({ ...one, assisted: one.assisted === 1 });
      chars += one.payload.length;
      if (chars >= CHARS) break;
    }
    return piece;
  }
}
