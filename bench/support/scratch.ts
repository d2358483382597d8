// A temporary directory on a real disk, where an fsync costs what it costs.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TMPFS = 0x01021994;

export class Scratch {
  readonly path: string;
  /** Where others on the same disk may stand. */
  readonly parent: string;

  constructor() {
    this.parent = statfsSync(tmpdir()).type === TMPFS ? process.cwd() : tmpdir();
    this.path = mkdtempSync(join(this.parent, "blackboard-bench-"));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
