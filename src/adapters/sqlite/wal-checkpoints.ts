// Keeps the write-ahead log short: a thread checkpoints it beside the writer, so that transactions do not wait for that.
import { once } from "node:events";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { workerUrl } from "../system/worker-url.ts";
import { isFull, primaryCode, SQLITE } from "./faults.ts";

/** A page that is written often is checkpointed once: a longer log means less work, but slower reads. */
const FOLD_PAGES = 4000;

export interface CheckpointFailure {
  readonly message: string;
  readonly errcode: number | undefined;
}

/** Returns the error, if any. */
export function foldedBy(fold: StatementSync): CheckpointFailure | undefined {
  try {
    fold.get();
    return undefined;
  } catch (error) {
    const { message, errcode } = error as CheckpointFailure;
    return { message, errcode };
  }
}

export class Checkpoints {
  readonly #path: string;
  readonly #length: StatementSync;
  readonly #fold: StatementSync;
  /** Started when there is something to checkpoint: most boards are idle for long. */
  #thread: Worker | undefined;
  #folding = false;
  #failure: CheckpointFailure | undefined;

  constructor(db: DatabaseSync, path: string) {
    this.#path = path;
    db.exec("PRAGMA wal_autocheckpoint = 0");
    this.#length = db.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#fold = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  get folding(): boolean {
    return this.#folding;
  }

  /** Called between two transactions. Throws the error of the last checkpoint, if any. */
  keep(): void {
    if (this.#failure !== undefined) throw Object.assign(new Error(this.#failure.message), { errcode: this.#failure.errcode });
    if (this.#folding) return;
    const { log, checkpointed } = this.#length.get() as { log: number; checkpointed: number };
    if (log - checkpointed < FOLD_PAGES) return;
    this.#folding = true;
    (this.#thread ??= this.#start()).postMessage("fold");
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    thread.postMessage("close");
    await once(thread, "exit");
  }

  /** If the disk is full, what was written stays in the log until there is space again. */
  #note(failure: CheckpointFailure | undefined): void {
    if (!isFull(failure?.errcode) && primaryCode(failure?.errcode) !== SQLITE.BUSY) this.#failure = failure;
  }

  #start(): Worker {
    const thread = new Worker(workerUrl("wal-checkpoint-thread", import.meta.url), {
      name: "checkpoints",
      workerData: { path: this.#path },
    });
    thread.on("message", (failure: CheckpointFailure | undefined) => {
      this.#folding = false;
      // Little was written meanwhile: when that is checkpointed too, the next transaction starts the log from the beginning.
      this.#note(failure ?? foldedBy(this.#fold));
    });
    thread.on("error", (error) => {
      this.#thread = undefined;
      this.#folding = false;
      this.#failure = { message: String(error), errcode: undefined };
    });
    return thread;
  }
}
