// The one writer of a SQLite board: many acts, one transaction, one fsync.
import type { DatabaseSync } from "node:sqlite";
import { Refusal } from "../../core/errors.ts";
import { sweep } from "../../core/message/sweep.ts";
import { MINUTE_MS } from "../../core/spans.ts";
import type { Act, Outcome } from "../../core/message/act.ts";
import { perform, refusalOf } from "../../core/message/perform.ts";
import type { Appended } from "../../ports/store.ts";
import { primaryCode, SQLITE } from "./faults.ts";
import { SqliteLedger } from "./ledger.ts";

const PRUNE_EVERY_MS = MINUTE_MS;

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

  run<One extends Act>(acts: readonly One[], now: number): Appended<One> {
    try {
      return this.#transact(acts, now, (act) => (isPlain(act) ? this.#judged(act) : this.#undoable(act)));
    } catch (error) {
      if (!(error instanceof HalfDone)) throw error;
      return this.#transact(acts, now, (act) => this.#undoable(act));
    }
  }

  #transact<One extends Act>(acts: readonly One[], now: number, work: (act: One) => Outcome<One>): Appended<One> {
    const ledger = this.#ledger;
    this.#sql.begin.run();
    ledger.catchUp();
    const before = ledger.mark();
    try {
      // The log's time never runs backwards, whatever the clock does.
      ledger.now = Math.max(ledger.now, now);
      ledger.goOnWithdrawing();
      // Acts are judged by the board as it is now, not as the sweep last left it.
      sweep(ledger);
      ledger.dropOverdueTexts();
      const pruning = ledger.now - this.#prunedAt > PRUNE_EVERY_MS;
      if (pruning) this.#prune();
      const outcomes = acts.map((act) => work(act));
      if (pruning) ledger.forgetSilentAgents();
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

  /**
   * Folds the write-ahead log into the file and cuts it to nothing: until then it holds what was erased since the last time.
   * Whether it could: a reader in the middle of a long question holds it up.
   */
  scrub(): boolean {
    return this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  }

  /** The header is written, with what it says already. A write-ahead log that is there may take a page on a full disk, but not much more. */
  trial(): void {
    const { user_version: version } = this.#db.prepare("PRAGMA user_version").get() as { user_version: number };
    this.#sql.begin.run();
    try {
      this.#db.exec(`PRAGMA user_version = ${version}`);
      this.#sql.commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Refused before it writes anything, or not at all: it needs no savepoint, for which every page would be copied once more. */
  #judged<One extends Act>(act: One): Outcome<One> {
    const ledger = this.#ledger;
    const before = ledger.mark();
    ledger.meet("arrival" in act ? act.arrival.id : undefined);
    try {
      return perform(ledger, act);
    } catch (error) {
      this.#requireStorage(error);
      if (error instanceof Refusal && ledger.isAt(before)) return { refused: refusalOf(error) };
      throw new HalfDone();
    }
  }

  /** A savepoint around the act: what it half did is undone without touching its neighbours. */
  #undoable<One extends Act>(act: One): Outcome<One> {
    const ledger = this.#ledger;
    const before = ledger.mark();
    const undo = () => {
      this.#db.exec("ROLLBACK TO act; RELEASE act");
      ledger.backTo(before);
    };
    this.#sql.savepoint.run();
    ledger.meet(undefined);
    try {
      const outcome = perform(ledger, act);
      if ("dryRun" in act && act.dryRun) undo();
      else this.#sql.release.run();
      return outcome;
    } catch (error) {
      this.#requireStorage(error);
      undo();
      return { refused: refusalOf(error) };
    }
  }

  /** A full disk or failed write has ended the transaction itself: then nobody in the batch may be answered. */
  #requireStorage(error: unknown): void {
    if (!this.#db.isTransaction || isStorageError(error)) throw error;
  }

  #prune(): void {
    this.#prunedAt = this.#ledger.now;
    this.#ledger.prune();
  }
}

/** Acts of every day, whose rules judge first and write then. */
const isPlain = (act: Act): boolean =>
  act.type === "sweep" ||
  act.type === "withdrawal" ||
  act.type === "mail" ||
  ((act.type === "post" || act.type === "alias") && !act.dryRun);

/** An act failed after it had written something: the batch is begun anew, with a savepoint around each act. */
class HalfDone extends Error {}

function statements(db: DatabaseSync) {
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    savepoint: db.prepare("SAVEPOINT act"),
    release: db.prepare("RELEASE act"),
  };
}

function isStorageError(error: unknown): boolean {
  const primary = primaryCode((error as { errcode?: number }).errcode);
  return (
    primary === SQLITE.IOERR ||
    primary === SQLITE.FULL ||
    primary === SQLITE.CORRUPT ||
    primary === SQLITE.NOTADB ||
    primary === SQLITE.READONLY
  );
}
