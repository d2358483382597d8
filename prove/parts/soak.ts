// An hour at half load: messages come and go, and neither memory nor errors grow.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS } from "../../src/core/spans.ts";
import { counted } from "../../src/core/view/counted.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/flags.ts";
import { residentMiB } from "../support/gauges.ts";

const MINUTES = 60;
const CONNECTIONS = 8;
/** Short lives, so that the board is full after a minute and stays so. */
const TTL_S = 60;
const LOOK_EVERY_MS = 10_000;
/** Rounds of each lane until its pace is known. */
const MEASURED = 500;
/** Of these the latest count: a board that has just started is slow. */
const LATEST = 200;
const MIB_AN_HOUR = 1;
const ERRORS = 0.0001;

export const soak: Part = {
  name: "soak",
  promise: "1 h at half load: errors < 0.01 %, heap slope <= 1 MiB/h",
  stores: STORES,
  async run(times) {
    const heapFile = join(emptyDirectory(), "heap");
    const watched = { HEAP_WATCH: heapFile, NODE_OPTIONS: `--expose-gc --import=${join(import.meta.dirname, "../support/heap-watch.ts")}` };
    await using board = await BoardProcess.serve(emptyDirectory(), FLAGS, watched);
    const minutes = times(MINUTES);
    const end = Date.now() + minutes * MINUTE_MS;
    const samples: Sample[] = [];
    let [answers, errors] = [0, 0];
    const lane = async (): Promise<void> => {
      const agent = new Agent();
      let [pace, due] = [0, 0];
      for (let i = 0; Date.now() < end; i++) {
        const at = performance.now();
        const body = JSON.stringify(
          agent.envelope({ kind: "note", title: `soak ${i}`, body: "some words ".repeat(50), tags: ["soak"], ttl: TTL_S }),
        );
        const paths = ["/api/messages?limit=20", "/api/messages?q=words&limit=10", "/api/work", "/api/tags"];
        for (const [path, init] of [
          ["/api/messages", { method: "POST", headers: { "content-type": "application/json" }, body }],
          [paths[i % paths.length] ?? "", {}],
        ] as const) {
          const response = await fetch(board.url + path, init).catch(() => undefined);
          await response?.arrayBuffer();
          answers++;
          if (response === undefined || response.status >= 400) errors++;
        }
        // As long a pause as the work took is half of what the lanes could do. The pace of the beginning is kept, and a slow moment made
        // up for: what lives, and is kept in memory, grows with it.
        const now = performance.now();
        if (i < MEASURED) pace += ((now - at) * 2 - pace) / Math.min(i + 1, LATEST);
        due = (i < MEASURED ? at : due) + pace;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - now)));
      }
    };
    const watch = async (): Promise<void> => {
      for (let looks = 0; Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        if (board.pid !== undefined) process.kill(board.pid, "SIGUSR2");
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const heaps = existsSync(heapFile) ? readFileSync(heapFile, "utf8").trim().split("\n") : [];
        if (heaps.length > looks)
          samples.push({ at: Date.now() / HOUR_MS, heap: Number(heaps.at(-1)) / 2 ** 20, resident: residentMiB(board.pid) });
        looks = heaps.length;
      }
    };
    await Promise.all([watch(), ...Array.from({ length: CONNECTIONS }, lane)]);
    // The first third fills what the board keeps, and compiles.
    const filled = samples.slice(Math.floor(samples.length / 3));
    const [slope, resident] = [slopeOf(filled, "heap"), slopeOf(filled, "resident")];
    return {
      held: errors / answers < ERRORS && slope <= MIB_AN_HOUR,
      figure: `${minutes} min, ${counted(answers, "answer")} on ${counted(availableParallelism(), "core")}, ${counted(errors, "error")}; live heap ${samples.at(-1)?.heap.toFixed(1)} MiB in the end, slope ${slope.toFixed(2)} MiB/h over ${counted(samples.length, "look")}; ${samples.at(-1)?.resident.toFixed(0)} MiB resident, ${resident.toFixed(1)} MiB/h`,
    };
  },
};

interface Sample {
  readonly at: number;
  readonly heap: number;
  /** Of the whole process, with all its threads. */
  readonly resident: number;
}

const STRETCHES = 8;

/** Least squares. What is kept grows until its older half is forgotten: what counts is the lowest of each stretch. */
function slopeOf(samples: readonly Sample[], of: "heap" | "resident"): number {
  const stretch = Math.max(1, Math.floor(samples.length / STRETCHES));
  const floors = Array.from({ length: Math.floor(samples.length / stretch) }, (_, i) =>
    samples.slice(i * stretch, (i + 1) * stretch).reduce((low, one) => (one[of] < low[of] ? one : low)),
  );
  const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [at, level] = [mean(floors.map((one) => one.at)), mean(floors.map((one) => one[of]))];
  const over = floors.reduce((sum, one) => sum + (one.at - at) * (one[of] - level), 0);
  return over / floors.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
}
