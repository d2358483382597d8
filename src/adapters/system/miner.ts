// One mining thread with a short queue.
import { Worker } from "node:worker_threads";
import { Refusal } from "../../core/errors.ts";
import type { Miner } from "../../ports/miner.ts";
import type { MiningJob } from "./miner-thread.ts";
import { workerUrl } from "./worker-url.ts";

const MAX_WAITING = 16;

interface Waiting {
  readonly job: MiningJob;
  resolve(nonce: string): void;
  reject(error: Error): void;
}

/** The thread starts with the first job: most boards never need it. */
export function miner(): Miner {
  const waiting: Waiting[] = [];
  let worker: Worker | undefined;
  let current: Waiting | undefined;

  function next(): void {
    if (current !== undefined) return;
    current = waiting.shift();
    if (current !== undefined) (worker ??= start()).postMessage(current.job);
  }

  function start(): Worker {
    const thread = new Worker(workerUrl("miner-thread", import.meta.url), { name: "miner" });
    thread.unref();
    thread.on("message", (nonce: string) => {
      current?.resolve(nonce);
      current = undefined;
      next();
    });
    thread.on("error", (error: Error) => {
      current?.reject(error);
      current = undefined;
      worker = undefined;
      next();
    });
    return thread;
  }

  return {
    mine(id, bits) {
      if (waiting.length >= MAX_WAITING) return Promise.reject(new Refusal("assist_busy", `${MAX_WAITING} assisted posts are waiting.`));
      return new Promise((resolve, reject) => {
        waiting.push({ job: { id, bits }, resolve, reject });
        next();
      });
    },
    async close() {
      const refusal = new Refusal("shutting_down");
      for (const one of waiting.splice(0)) one.reject(refusal);
      current?.reject(refusal);
      await worker?.terminate();
    },
  };
}
