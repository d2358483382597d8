// Where the log stands: read from the file, or remembered for a moment while nobody here writes.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/checkpoint.ts";

export class SqliteHead {
  readonly #newest: StatementSync;
  readonly #rememberedMs: number;
  #head: Head = { seq: 0, hash: GENESIS };
  #readAt = -Infinity;
  /** A transaction of this process is under way: then the file may be ahead at any moment. */
  writing = false;

  /** What another process writes, such as an operator's command, is seen so many milliseconds late at most. */
  constructor(db: DatabaseSync, rememberedMs = 0) {
    this.#rememberedMs = rememberedMs;
    this.#newest = db.prepare("SELECT seq, hash FROM log ORDER BY seq DESC LIMIT 1");
  }

  read(): Head {
    const now = performance.now();
    if (!this.writing && now - this.#readAt < this.#rememberedMs) return this.#head;
    this.#head = (this.#newest.get() as Head | undefined) ?? { seq: 0, hash: GENESIS };
    this.#readAt = now;
    return this.#head;
  }

  /** A transaction of this process has ended, and may have moved the log. */
  written(): void {
    this.writing = false;
    this.#readAt = -Infinity;
  }
}
