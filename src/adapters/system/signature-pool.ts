// Signature checks spread over threads; jobs that come while a thread is busy go to it together.
import { Worker } from "node:worker_threads";
import type { SignatureChecker } from "../../ports/signatures.ts";
import type { SignatureJob } from "./signature-check.ts";
import { workerUrl } from "./worker-url.ts";

interface Waiting {
  readonly job: SignatureJob;
  resolve(valid: boolean): void;
  reject(error: Error): void;
}

/** Few enough that results flow back steadily while the next batch gathers. */
const BATCH = 32;

export function signaturePool(threads: number): SignatureChecker {
  const waiting: Waiting[] = [];
  const workers = Array.from({ length: threads }, () => new Worker(workerUrl("signature-thread", import.meta.url), { name: "signatures" }));
  const idle: Worker[] = [...workers];
  const busy = new Map<Worker, Waiting[]>();

  for (const worker of workers) {
    worker.unref();
    worker.on("message", (results: boolean[]) => {
      const batch = busy.get(worker) ?? [];
      busy.delete(worker);
      idle.push(worker);
      dispatch();
      for (const [i, one] of batch.entries()) one.resolve(results[i] ?? false);
    });
    worker.on("error", (error: Error) => {
      for (const one of busy.get(worker) ?? []) one.reject(error);
      busy.delete(worker);
    });
  }

  function dispatch(): void {
    while (waiting.length > 0 && idle.length > 0) {
      const worker = idle.pop()!;
      const batch = waiting.splice(0, BATCH);
      busy.set(worker, batch);
      worker.postMessage(batch.map((one) => one.job));
    }
  }

  return {
    check(key, sig, text) {
      return new Promise((resolve, reject) => {
        waiting.push({ job: { key, sig, text }, resolve, reject });
        dispatch();
      });
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
