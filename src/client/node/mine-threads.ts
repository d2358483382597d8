// Mines on all cores, in Node.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Mine } from "../mine.ts";
import { minedBy, type MiningReport, type MiningWorker } from "../mine-workers.ts";

const ENTRY = new URL(`./mine-thread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** `count` threads for each nonce, ended when it is found. */
export const mineInThreads = (count: number = availableParallelism()): Mine => minedBy(startThread, count);

/** A thread with the interface of a browser's worker. */
function startThread(): MiningWorker {
  const thread = new Worker(ENTRY, { name: "miner" });
  return {
    postMessage: (order) => thread.postMessage(order),
    addEventListener(type: "message" | "error", listener: (event: { data: MiningReport; message: string }) => void) {
      if (type === "message") thread.on("message", (data: MiningReport) => listener({ data, message: "" }));
      else thread.on("error", ({ message }: Error) => listener({ data: { tries: 0 }, message }));
    },
    terminate: () => thread.terminate(),
  };
}
