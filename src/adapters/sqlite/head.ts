// The head of the log: read from the file, or cached for a moment while this process does not write.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";

export class SqliteHead {
  readonly #newest: StatementSync;
  readonly #rememberedMs: number;
  #head: Head = { seq: 0, hash: GENESIS };
  #readAt = -Infinity;
  /** Whether a transaction of this process is running: then the file may be ahead at any time. */
  writing = false;

  /** Writes of another process, such as an operator's command, are seen at most this many milliseconds late. */
  constructor(db: DatabaseSync, rememberedMs = 0) {
    this.#rememberedMs = rememberedMs;
    this.#newest = db.prepare("SELECT seq, hash FROM log ORDER BY seq DESC LIMIT 1");
  }

  read(): Head {
    const now = performance.now();
    if (!this.writing && now - this.#readAt < this.#rememberedMs) return this.#head;
    const { seq, hash } = (this.#newest.get() as Head | undefined) ?? { seq: 0, hash: GENESIS };
    // A copy, because an object that SQLite made is slow to read, and this one is read for every request.
    this.#head = { seq, hash };
    this.#readAt = now;
    return this.#head;
  }

  /** A transaction of this process has ended, and may have added entries. */
  written(): void {
    this.writing = false;
    this.#readAt = -Infinity;
  }
}
