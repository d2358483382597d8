// What authors withdrew all at once, in the writer's transaction: its time ends a bounded step at a time.
import type { DatabaseSync } from "node:sqlite";
import { WITHDRAW_STEP } from "../../core/message/sweep.ts";
import { openDatabase } from "./open.ts";

interface Withdrawal {
  readonly author: string;
  /** All before this is withdrawn. */
  readonly seq: number;
  /** All up to this has ended. */
  readonly done: number;
  readonly at: number;
}

export class WithdrawalBook {
  readonly #sql: ReturnType<typeof statements>;
  /** How many more messages may end in this transaction; nobody waits for one that never began. */
  #left = Number.MAX_SAFE_INTEGER;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** A transaction begins. The answer is, as below, the seqs of what ended. */
  begin(): readonly number[] {
    this.#left = WITHDRAW_STEP;
    return this.goOn();
  }

  add(author: string, seq: number, now: number): readonly number[] {
    this.#sql.add.run(author, seq, now);
    return this.goOn();
  }

  /** Whether this transaction has ended as many as it may. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  has(author: string): boolean {
    return this.#sql.has.get(author) !== undefined;
  }

  goOn(): readonly number[] {
    const ended: number[] = [];
    for (const one of this.#sql.all.all() as unknown as readonly Withdrawal[]) {
      if (this.#left <= 0) break;
      ended.push(...this.#step(one));
    }
    return ended;
  }

  #step({ author, seq, done, at }: Withdrawal): readonly number[] {
    const next = this.#sql.beyond.get(author, done, seq, this.#left)?.["seq"] as number | undefined;
    const ended = this.#sql.end.all(at, author, done, next ?? seq, at).map((row) => row["seq"] as number);
    if (next === undefined) this.#sql.drop.run(author);
    else this.#sql.reach.run(next - 1, author);
    this.#left = next === undefined ? this.#left - ended.length : 0;
    return ended;
  }
}

/** Ends at once what a board, or the copy of one, was in the middle of. */
export function endWithdrawn(path: string): void {
  const db = openDatabase(path, "write");
  try {
    new WithdrawalBook(db).goOn();
  } finally {
    db.close();
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    add: p(
      "INSERT INTO withdrawals (author, seq, done, at) VALUES (?, ?, 0, ?) ON CONFLICT (author) DO UPDATE SET seq = excluded.seq, at = excluded.at",
    ),
    has: p("SELECT 1 FROM withdrawals WHERE author = ?"),
    all: p("SELECT author, seq, done, at FROM withdrawals ORDER BY seq"),
    beyond: p("SELECT seq FROM messages WHERE author = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT 1 OFFSET ?"),
    // A unary plus, as in listings: the index of authors is the one to take.
    end: p("UPDATE messages SET expires_at = ?, withdrawn = 1 WHERE author = ? AND seq > ? AND seq < ? AND +expires_at > ? RETURNING seq"),
    reach: p("UPDATE withdrawals SET done = ? WHERE author = ?"),
    drop: p("DELETE FROM withdrawals WHERE author = ?"),
  };
}
