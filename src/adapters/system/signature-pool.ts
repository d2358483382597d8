// Signature checks spread over threads; jobs that come together, or while a thread is busy, go to it together.
import type { SignatureChecker } from "../../ports/signatures.ts";
import { pack, type SignatureJob } from "./signature-check.ts";
import { startThread, type Thread } from "./start-thread.ts";

interface Waiting {
  readonly job: SignatureJob;
  resolve(valid: boolean): void;
  reject(error: Error): void;
}

/** Few enough that results flow back steadily while the next batch gathers. */
const BATCH = 16;

const checking = (): Thread => startThread("signature-thread", import.meta.url);

export function signaturePool(threads: number, thread: () => Thread = checking): SignatureChecker {
  const waiting: Waiting[] = [];
  const workers = new Set<Thread>();
  const idle: Thread[] = [];
  const busy = new Map<Thread, Waiting[]>();
  for (let i = 0; i < threads; i++) idle.push(start());

  function start(): Thread {
    const worker = thread();
    workers.add(worker);
    worker.unref();
    worker.on("message", (results: boolean[]) => {
      const batch = busy.get(worker) ?? [];
      busy.delete(worker);
      idle.push(worker);
      dispatch();
      for (const [i, one] of batch.entries()) one.resolve(results[i] ?? false);
    });
    worker.on("error", (error: Error) => {
      const batch = busy.get(worker) ?? [];
      workers.delete(worker);
      busy.delete(worker);
      const place = idle.indexOf(worker);
      if (place !== -1) idle.splice(place, 1);
      for (const one of batch) one.reject(error);
      dispatch();
    });
    return worker;
  }

  /** A thread that has died is replaced when there is work for it, so that one which cannot start is not started without end. */
  function dispatch(): void {
    while (waiting.length > 0) {
      const worker = idle.pop() ?? (workers.size < threads ? start() : undefined);
      if (worker === undefined) return;
      const batch = waiting.splice(0, BATCH);
      busy.set(worker, batch);
      const jobs = pack(batch.map((one) => one.job));
      worker.postMessage(jobs, [jobs.bytes.buffer]);
    }
  }

  return {
    check(key, sig, text) {
      return new Promise((resolve, reject) => {
        waiting.push({ job: { key, sig, text }, resolve, reject });
        // What comes in one turn of the event loop goes together: waking a thread costs more than handing it another job.
        if (waiting.length === 1) setImmediate(dispatch);
      });
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
