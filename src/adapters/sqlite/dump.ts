// All live messages in SQLite, a piece at a time; each piece is a read transaction of its own and soon over.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Card } from "../../ports/store.ts";
import type { SqliteCards } from "./cards.ts";

const ROWS = 256;
/** A reader that stalls holds about one piece in memory. */
const CHARS = 256 * 1024;

export class SqliteDump {
  readonly #cards: SqliteCards;
  readonly #after: StatementSync;

  constructor(db: DatabaseSync, cards: SqliteCards) {
    this.#cards = cards;
    this.#after = db.prepare(`SELECT seq FROM messages WHERE seq > ? AND seq <= ? AND +expires_at > ? ORDER BY seq LIMIT ${ROWS}`);
  }

  read(after: number, upTo: number, now: number): Card[] {
    const piece: Card[] = [];
    let chars = 0;
    for (const row of this.#after.iterate(after, upTo, now)) {
      // Everything is read once: it is not kept, or what others ask for would be forgotten.
      const card = this.#cards.stored.bySeq(row["seq"] as number);
      if (card === undefined) continue;
      piece.push(card);
      chars += card.raw.payload.length;
      if (chars >= CHARS) break;
    }
    return piece;
  }
}
