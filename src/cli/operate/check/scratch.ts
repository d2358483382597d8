// A second board, made from the log alone, to hold the first one against.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { SqliteLedger } from "../../../adapters/sqlite/ledger.ts";
import { databasePath, openDatabase } from "../../../adapters/sqlite/open.ts";
import { openSqliteStore } from "../../../adapters/sqlite/store.ts";
import { endLeases } from "../../../core/message/sweep.ts";
import { replay, type Told } from "../../../core/message/replay.ts";
import type { Standing } from "../../../core/message/standing.ts";
import type { Store } from "../../../ports/store.ts";

/** The log exists already: the rules' own entries go nowhere, and a message has the seq of its entry. */
class ReplayLedger extends SqliteLedger {
  seq = 0;
  override log(): number {
    return this.seq;
  }
}

export class Scratch {
  readonly #dir = mkdtempSync(join(tmpdir(), "blackboard-check-"));
  readonly #db: DatabaseSync;
  readonly #ledger: ReplayLedger;

  constructor() {
    this.#db = openDatabase(databasePath(this.#dir), "write");
    this.#db.exec("PRAGMA synchronous = OFF");
    this.#ledger = new ReplayLedger(this.#db);
  }

  /** All or none of them. */
  play(history: readonly Told[], onFault: (told: Told, error: Error) => void): void {
    this.#db.exec("BEGIN");
    for (const told of history) {
      this.#ledger.seq = told.entry.seq;
      this.#ledger.now = told.entry.at;
      try {
        replay(this.#ledger, told);
      } catch (error) {
        onFault(told, error as Error);
      }
    }
    this.#ledger.writeTallies();
    this.#ledger.takeTouched();
    this.#db.exec("COMMIT");
  }

  /** A lease that ends may leave no entry, by time or by whoever asked: where the board has ended it, it is ended here too. */
  endLeases(endedThere: (target: Standing) => boolean): void {
    this.#db.exec("BEGIN");
    // All of them, whenever they end.
    this.#ledger.now = Number.MAX_SAFE_INTEGER;
    endLeases(this.#ledger, (target) => !endedThere(target), Number.MAX_SAFE_INTEGER);
    this.#ledger.writeTallies();
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
