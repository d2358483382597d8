// How long a board's event loop was held, told by the board itself: see loop-watch.ts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyDirectory } from "../../test/support/process.ts";

export interface Hold {
  /** Of the clock on the wall. */
  readonly from: number;
  readonly end: number;
  /** Of the thread's own processor time: on a busy machine it also waits for a core, or for a thread of its own that waits for one. */
  readonly ms: number;
  readonly wallMs: number;
  /** For a core. */
  readonly waitedMs: number;
}

interface Noted {
  readonly end: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly waitedMs: number;
}

export class HeldLoop {
  readonly #file = join(emptyDirectory(), "holds.jsonl");

  /** What a board is started with so that it takes notes. */
  readonly env: Readonly<Record<string, string>> = {
    LOOP_WATCH: this.#file,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, "loop-watch.ts")}`,
  };

  /** Holds that began after a moment: before its port is open a board may take its time. The longest comes first. */
  since(moment: number): readonly Hold[] {
    if (!existsSync(this.#file)) return [];
    const notes = readFileSync(this.#file, "utf8").trim().split("\n");
    return notes
      .map((note) => JSON.parse(note) as Noted)
      .map(({ end, ms, cpuMs, waitedMs }) => ({ from: end - ms, end, ms: cpuMs, wallMs: ms, waitedMs }))
      .filter(({ from }) => from >= moment)
      .sort((a, b) => b.ms - a.ms);
  }
}
