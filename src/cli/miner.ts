// Proof of work on all cores: ids are handed to threads in order, and nonces come back as they are found.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { workerUrl } from "../adapters/system/worker-url.ts";
import { mine } from "../core/protocol/work.ts";

export interface MiningOrder {
  readonly id: string;
  readonly bits: number;
}

interface Job extends MiningOrder {
  readonly found: (nonce: string) => void;
  readonly failed: (error: Error) => void;
}

/** So little work is done before a thread has started. */
const EASY_BITS = 12;

export class Miner {
  readonly #jobs: Job[] = [];
  readonly #workers = new Set<Worker>();
  readonly #most = availableParallelism();

  mine(id: string, bits: number): Promise<string> {
    if (bits <= EASY_BITS) return Promise.resolve(mine(id, bits));
    return new Promise((found, failed) => {
      this.#jobs.push({ id, bits, found, failed });
      if (this.#workers.size < this.#most) this.#start();
    });
  }

  #start(): void {
    const worker = new Worker(workerUrl("mining-thread", import.meta.url));
    this.#workers.add(worker);
    let job: Job | undefined;
    const next = (): void => {
      job = this.#jobs.shift();
      if (job === undefined) this.#end(worker);
      else worker.postMessage({ id: job.id, bits: job.bits } satisfies MiningOrder);
    };
    worker.on("message", (nonce: string) => {
      job?.found(nonce);
      next();
    });
    worker.on("error", (error: Error) => {
      job?.failed(error);
      this.#end(worker);
    });
    next();
  }

  #end(worker: Worker): void {
    this.#workers.delete(worker);
    void worker.terminate();
  }

  [Symbol.dispose](): void {
    this.#jobs.length = 0;
    for (const worker of this.#workers) this.#end(worker);
  }
}
