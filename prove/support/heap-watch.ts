// Preloaded into a board: on SIGUSR2 it collects all garbage and writes what is left of its heap into a file, a line each time.
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["HEAP_WATCH"];
if (isMainThread && file !== undefined)
  process.on("SIGUSR2", () => {
    globalThis.gc?.();
    appendFileSync(file, `${process.memoryUsage().heapUsed}\n`);
  });
