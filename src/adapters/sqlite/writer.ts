// The one writer of a SQLite board: many acts, one transaction, one fsync.
import type { DatabaseSync } from "node:sqlite";
import { sweep } from "../../core/message/derive.ts";
import type { Act, Appended, Outcome } from "../../ports/store.ts";
import { perform, refusalOf } from "../sql/perform.ts";
import { SqliteLedger } from "./ledger.ts";

const PRUNE_EVERY_MS = 60_000;

export class SqliteWriter {
  readonly #db: DatabaseSync;
  readonly #ledger: SqliteLedger;
  readonly #sql: ReturnType<typeof statements>;
  #prunedAt = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#ledger = new SqliteLedger(db);
    this.#sql = statements(db);
  }

  run(acts: readonly Act[], now: number): Appended {
    const ledger = this.#ledger;
    this.#sql.begin.run();
    ledger.catchUp();
    const before = ledger.mark();
    try {
      // The log's time never runs backwards, whatever the clock does.
      ledger.now = Math.max(ledger.now, now);
      // Acts are judged by the board as it is now, not as the sweep last left it.
      sweep(ledger);
      ledger.dropOldBlobs();
      if (ledger.now - this.#prunedAt > PRUNE_EVERY_MS) this.#prune();
      const outcomes = acts.map((act) => this.#guarded(act));
      ledger.writeTallies();
      const nextDue = ledger.nextDue();
      // A crash before this line loses the whole batch, and nobody was answered; after it, everything is on disk.
      this.#sql.commit.run();
      return { outcomes, head: ledger.head, nextDue, touched: ledger.takeTouched() };
    } catch (error) {
      ledger.backTo(before);
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  nextDue(): number | null {
    return this.#ledger.nextDue();
  }

  close(): void {
    this.#db.close();
  }

  /** A savepoint around each act: what one act half did is undone without touching its neighbours. */
  #guarded(act: Act): Outcome {
    const ledger = this.#ledger;
    const before = ledger.mark();
    const undo = () => {
      this.#db.exec("ROLLBACK TO act; RELEASE act");
      ledger.backTo(before);
    };
    this.#sql.savepoint.run();
    try {
      const outcome = perform(ledger, act);
      if ("dryRun" in act && act.dryRun) undo();
      else this.#sql.release.run();
      return outcome;
    } catch (error) {
      // A full disk or failed write has ended the transaction itself: then nobody in the batch may be answered.
      if (!this.#db.isTransaction || isStorageError(error)) throw error;
      undo();
      return { refused: refusalOf(error) };
    }
  }

  #prune(): void {
    this.#prunedAt = this.#ledger.now;
    this.#ledger.prune();
  }
}

function statements(db: DatabaseSync) {
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    savepoint: db.prepare("SAVEPOINT act"),
    release: db.prepare("RELEASE act"),
  };
}

function isStorageError(error: unknown): boolean {
  const primary = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return (
    primary === SQLITE.IOERR ||
    primary === SQLITE.FULL ||
    primary === SQLITE.CORRUPT ||
    primary === SQLITE.NOTADB ||
    primary === SQLITE.READONLY
  );
}

/** Primary result codes of SQLite that speak of the storage, not of the statement. */
export const SQLITE = { BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, NOTADB: 26 } as const;
