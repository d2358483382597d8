// Looks up what is known of new posts, for all that arrived in one turn of the event loop: a transaction costs more than the lookups in it.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Precheck } from "../../ports/store.ts";
import type { SqliteReader } from "./reader.ts";

interface Waiting {
  readonly ask: () => Precheck;
  resolve(precheck: Precheck): void;
  reject(error: unknown): void;
}

export class SqlitePrechecks {
  readonly #reader: SqliteReader;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #waiting: Waiting[] = [];

  constructor(db: DatabaseSync, reader: SqliteReader) {
    this.#reader = reader;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  ask(...question: Parameters<SqliteReader["precheck"]>): Promise<Precheck> {
    return new Promise((resolve, reject) => {
      const ask = () => this.#reader.precheck(...question);
      if (this.#waiting.push({ ask, resolve, reject }) === 1) setImmediate(() => this.#answer());
    });
  }

  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#begin.run();
      try {
        for (const one of waiting) one.resolve(one.ask());
      } finally {
        this.#commit.run();
      }
    } catch (error) {
      // Promises that were resolved already ignore this.
      for (const one of waiting) one.reject(error);
    }
  }
}
