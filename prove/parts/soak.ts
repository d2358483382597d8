// An hour at half load: messages come and expire, and neither memory nor errors grow.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { plural } from "../../src/core/text/plural.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { residentMiB } from "../support/memory-and-quantiles.ts";

const MINUTES = 60;
const CONNECTIONS = 8;
/** A short lifetime, so that the board is full after a minute and stays so. */
const TTL_S = 60;
const LOOK_EVERY_MS = 2000;
/** Rounds of each lane until its pace is known. */
const MEASURED = 500;
/** Only the latest of these count, because a board that has just started is slow. */
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
      let pace = 0;
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
        // Pausing as long as the work took gives half of the possible load. The pace of the beginning is used throughout.
        const worked = performance.now() - at;
        if (i < MEASURED) pace += (worked * 2 - pace) / Math.min(i + 1, LATEST);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, pace - worked)));
      }
    };
    const watch = async (): Promise<void> => {
      for (let looks = 0; Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        const live = await liveMessages(board.url);
        if (board.pid !== undefined) process.kill(board.pid, "SIGUSR2");
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const heaps = existsSync(heapFile) ? readFileSync(heapFile, "utf8").trim().split("\n") : [];
        if (heaps.length > looks)
          samples.push({ at: Date.now() / HOUR_MS, heap: Number(heaps.at(-1)) / 2 ** 20, resident: residentMiB(board.pid), live });
        looks = heaps.length;
      }
    };
    await Promise.all([watch(), ...Array.from({ length: CONNECTIONS }, lane)]);
    // The first third is left out: caches fill and code is compiled.
    const filled = samples.slice(Math.floor(samples.length / 3));
    const { slope, perMessage } = growth(filled);
    return {
      held: errors / answers < ERRORS && slope <= MIB_AN_HOUR,
      figure: `${minutes} min, ${plural(answers, "answer")} on ${plural(availableParallelism(), "core")}, ${plural(errors, "error")}; live heap ${range(filled, "heap")} MiB with ${range(filled, "live")} live messages: ${(perMessage * 1024).toFixed(1)} KiB each, and ${slope.toFixed(2)} MiB/h beside that, over ${plural(samples.length, "look")}; ${range(filled, "resident")} MiB resident`,
    };
  },
};

interface Sample {
  /** In hours. */
  readonly at: number;
  /** MiB of the answering thread's heap, after a full garbage collection. */
  readonly heap: number;
  /** MiB of the whole process, with all its threads. */
  readonly resident: number;
  readonly live: number;
}

const STRETCHES = 8;

/**
 * Live messages are in memory, and their number depends on the speed of the machine, so their share is subtracted first. Caches grow until
 * they drop their older half, so only the lowest value of each stretch counts. What still grows is a leak.
 */
function growth(samples: readonly Sample[]): { readonly slope: number; readonly perMessage: number } {
  const [at, live, heap] = [samples.map((one) => one.at), samples.map((one) => one.live), samples.map((one) => one.heap)];
  const perMessage = slopeOf(beside(at, live), beside(at, heap));
  const rest = samples.map((one) => ({ at: one.at, rest: one.heap - perMessage * one.live }));
  const stretch = Math.max(1, Math.floor(rest.length / STRETCHES));
  const floors = Array.from({ length: Math.floor(rest.length / stretch) }, (_, i) =>
    rest.slice(i * stretch, (i + 1) * stretch).reduce((low, one) => (one.rest < low.rest ? one : low)),
  );
  return {
    slope: slopeOf(
      floors.map((one) => one.at),
      floors.map((one) => one.rest),
    ),
    perMessage,
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The slope by least squares. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const [x, y] = [mean(xs), mean(ys)];
  return xs.reduce((sum, one, i) => sum + (one - x) * ((ys[i] ?? y) - y), 0) / xs.reduce((sum, one) => sum + (one - x) ** 2, 0);
}

/** The part of `ys` that does not depend on `xs`. */
function beside(xs: readonly number[], ys: readonly number[]): readonly number[] {
  const [slope, x] = [slopeOf(xs, ys), mean(xs)];
  return ys.map((one, i) => one - slope * ((xs[i] ?? x) - x));
}

function range(samples: readonly Sample[], field: "heap" | "live" | "resident"): string {
  const values = samples.map((one) => one[field]);
  return `${Math.round(Math.min(...values)).toLocaleString("en")} to ${Math.round(Math.max(...values)).toLocaleString("en")}`;
}

async function liveMessages(url: string): Promise<number> {
  const { live } = (await (await fetch(`${url}/api/stats`)).json()) as { live: { messages: number } };
  return live.messages;
}
