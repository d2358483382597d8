// Preloaded into a board: on SIGUSR2 it collects all garbage and appends the size of the heap to a file, as one line.
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["HEAP_WATCH"];
if (isMainThread && file !== undefined)
  process.on("SIGUSR2", () => {
    globalThis.gc?.();
    appendFileSync(file, `${process.memoryUsage().heapUsed}\n`);
  });
