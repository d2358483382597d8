// How long a board's event loop was blocked, as measured in the board itself: see loop-watch.ts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyDirectory } from "../../test/support/process.ts";

export interface Hold {
  /** Wall-clock time. */
  readonly from: number;
  readonly end: number;
  /** CPU time of the thread: on a busy machine, the thread also waits for a core, or for another of its threads that waits for one. */
  readonly ms: number;
  readonly wallMs: number;
  /** Time spent waiting for a core. */
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

  /** Environment variables that make the board measure. */
  readonly env: Readonly<Record<string, string>> = {
    LOOP_WATCH: this.#file,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, "loop-watch.ts")}`,
  };

  /** Blocks that began after a moment, the longest first. Before its port is open, a board may block. */
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
