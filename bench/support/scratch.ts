// A temporary directory on a real disk, so that an fsync takes its real time.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { undoAtExit } from "../../test/support/leftovers.ts";

const TMPFS = 0x01021994;
/** Deleting is retried, because a process that was just killed may still write here. */
const RETRIES = 5;

export class Scratch {
  readonly path: string;
  /** The directory for other files on the same disk. */
  readonly parent: string;
  readonly #forget: () => void;

  constructor() {
    this.parent = statfsSync(tmpdir()).type === TMPFS ? process.cwd() : tmpdir();
    this.path = mkdtempSync(join(this.parent, "blackboard-bench-"));
    this.#forget = undoAtExit(() => this.#remove());
  }

  [Symbol.dispose](): void {
    this.#remove();
    this.#forget();
  }

  #remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: RETRIES });
  }
}
