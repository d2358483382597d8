// A second board, made from the log alone, to hold the first one against.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { BatchLedger } from "../../../adapters/sql/batch/ledger.ts";
import { Fetcher } from "../../../adapters/sqlite/fetch.ts";
import { Flush } from "../../../adapters/sqlite/flush.ts";
import { databasePath, openDatabase } from "../../../adapters/sqlite/open.ts";
import { openSqliteStore } from "../../../adapters/sqlite/store.ts";
import { GENESIS } from "../../../core/log/chain.ts";
import { endLeases } from "../../../core/message/sweep.ts";
import { replay, type ReplayedEntry } from "../../../core/message/replay.ts";
import type { MessageState } from "../../../core/message/message-state.ts";
import type { Store } from "../../../ports/store.ts";

/** The log exists already: the rules' own entries go nowhere, and a message has the seq of its entry. */
class ReplayLedger extends BatchLedger {
  seq = 0;
  override log(): number {
    return this.seq;
  }
  protected override get newest(): number {
    return this.seq;
  }
}

export class Scratch {
  readonly #dir = mkdtempSync(join(tmpdir(), "blackboard-check-"));
  readonly #db: DatabaseSync;
  readonly #fetcher: Fetcher;
  readonly #flush: Flush;

  constructor() {
    this.#db = openDatabase(databasePath(this.#dir), "write");
    this.#db.exec("PRAGMA synchronous = OFF");
    this.#fetcher = new Fetcher(this.#db);
    this.#flush = new Flush(this.#db);
  }

  /** All or none of them. */
  play(history: readonly ReplayedEntry[], onFault: (told: ReplayedEntry, error: Error) => void): void {
    const [first] = history;
    if (first === undefined) return;
    this.#batch(first.entry.seq - 1, (ledger) => {
      for (const told of history) {
        ledger.seq = told.entry.seq;
        ledger.set.now = told.entry.at;
        const before = ledger.mark();
        try {
          replay(ledger, told);
        } catch (error) {
          ledger.backTo(before);
          onFault(told, error as Error);
        }
      }
    });
  }

  /** A lease that ends may leave no entry, by time or by whoever asked: where the board has ended it, it is ended here too. */
  endLeases(endedThere: (target: MessageState) => boolean): void {
    this.#batch(Number.MAX_SAFE_INTEGER, (ledger) => {
      // All of them, whenever they end.
      ledger.set.now = Number.MAX_SAFE_INTEGER;
      endLeases(ledger, (target) => !endedThere(target), Number.MAX_SAFE_INTEGER);
    });
  }

  /** `start`: what has a later seq is not here yet. */
  #batch(start: number, work: (ledger: ReplayLedger) => void): void {
    this.#db.exec("BEGIN");
    for (let more = true, next = work; more; next = () => {}) {
      const ledger = new ReplayLedger();
      ledger.set.start = { seq: start, hash: GENESIS };
      this.#fetcher.serve(ledger.set);
      next(ledger);
      // What is withdrawn ends at once.
      more = ledger.goOnWithdrawing();
      ledger.finishAdopting();
      this.#flush.write(ledger);
    }
    this.#db.exec("COMMIT");
  }

  /** Nothing more can be played after this. */
  async read(): Promise<Store> {
    this.#db.close();
    return openSqliteStore(this.#dir, () => {}, "operator");
  }

  remove(): void {
    if (this.#db.isOpen) this.#db.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
