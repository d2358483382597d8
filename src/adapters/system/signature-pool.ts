// Spreads signature checks over threads, together with the guard's checks; jobs that arrive together, or while a thread is busy, are sent to it together.
import type { Looked } from "../../core/guard/examine-text.ts";
import type { SignatureChecker } from "../../ports/signature-checker.ts";
import { readAnswer, packJobs, type SignatureJob } from "./signature-thread.ts";
import { startThread, type Thread } from "./start-thread.ts";

interface Waiting extends PromiseWithResolvers<Looked | undefined> {
  readonly job: SignatureJob;
}

/** Few enough that results come back steadily while the next batch fills; they become one transaction. */
const BATCH = 32;

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
    worker.on("message", (answers: Uint8Array<ArrayBuffer>) => {
      const batch = busy.get(worker) ?? [];
      busy.delete(worker);
      idle.push(worker);
      dispatch();
      for (const [i, one] of batch.entries()) one.resolve(readAnswer(answers, i));
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

  /** A dead thread is replaced when there is work for it, so that one which cannot start is not started endlessly. */
  function dispatch(): void {
    while (waiting.length > 0) {
      const worker = idle.pop() ?? (workers.size < threads ? start() : undefined);
      if (worker === undefined) return;
      // Threads that are free share the jobs.
      const batch = waiting.splice(0, Math.min(BATCH, Math.ceil(waiting.length / (threads - busy.size))));
      busy.set(worker, batch);
      const jobs = packJobs(batch.map((one) => one.job));
      worker.postMessage(jobs, [jobs.bytes.buffer]);
    }
  }

  function done(job: SignatureJob): Promise<Looked | undefined> {
    const one: Waiting = { job, ...Promise.withResolvers<Looked | undefined>() };
    // Jobs of one turn of the event loop are sent together: waking a thread costs more than another job.
    if (waiting.push(one) === 1) setImmediate(dispatch);
    return one.promise;
  }

  return {
    check: async (key, sig, text) => (await done({ key, sig, text })) !== undefined,
    checkMessage: (key, sig, text) => done({ key, sig, text, message: true }),
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
