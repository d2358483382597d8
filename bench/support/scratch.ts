// A temporary directory on a real disk, where an fsync costs what it costs.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { undoAtExit } from "../../test/support/leftovers.ts";

const TMPFS = 0x01021994;
/** What was killed a moment ago may still write here. */
const RETRIES = 5;

export class Scratch {
  readonly path: string;
  /** Where others on the same disk may stand. */
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
