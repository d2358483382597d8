// One mining thread with a short queue.
import { Worker } from "node:worker_threads";
import { Refusal } from "../../core/errors.ts";
import type { Miner } from "../../ports/miner.ts";
import type { MiningJob } from "./miner-thread.ts";
import { workerUrl } from "./worker-url.ts";

/** Jobs behind the current one. */
const MAX_WAITING = 16;

interface Waiting extends PromiseWithResolvers<string> {
  readonly job: MiningJob;
}

/** The thread starts with the first job: most boards never need it. */
export function minerThread(): Miner {
  const waiting: Waiting[] = [];
  let worker: Worker | undefined;
  let current: Waiting | undefined;
  let closed = false;

  function next(): void {
    current = waiting.shift();
    if (current !== undefined) (worker ??= start()).postMessage(current.job);
  }

  function start(): Worker {
    const thread = new Worker(workerUrl("miner-thread", import.meta.url), { name: "miner" });
    thread.unref();
    thread.on("message", (nonce: string) => {
      if (thread !== worker) return;
      current?.resolve(nonce);
      next();
    });
    thread.on("error", (error: Error) => {
      if (thread !== worker) return;
      worker = undefined;
      current?.reject(error);
      next();
    });
    return thread;
  }

  /** The thread does not listen while it mines, so a cancelled job is ended by ending the thread. */
  function abandon(one: Waiting): void {
    const place = waiting.indexOf(one);
    if (place >= 0) waiting.splice(place, 1);
    else if (one === current) {
      void worker?.terminate();
      worker = undefined;
      next();
    }
  }

  return {
    async mine(id, bits, gone) {
      if (closed) throw new Refusal("shutting_down");
      if (gone.aborted) throw callerGone();
      if (waiting.length >= MAX_WAITING)
        throw new Refusal("assist_busy", `${MAX_WAITING} other callers are waiting for the board to mine for them.`);
      const one: Waiting = { job: { id, bits }, ...Promise.withResolvers<string>() };
      const leave = (): void => {
        one.reject(callerGone());
        abandon(one);
      };
      gone.addEventListener("abort", leave, { once: true });
      waiting.push(one);
      if (current === undefined) next();
      return one.promise.finally(() => gone.removeEventListener("abort", leave));
    },
    get jobs() {
      return waiting.length + (current === undefined ? 0 : 1);
    },
    async close() {
      closed = true;
      const thread = worker;
      worker = undefined;
      for (const one of [...(current === undefined ? [] : [current]), ...waiting.splice(0)]) one.reject(new Refusal("shutting_down"));
      current = undefined;
      await thread?.terminate();
    },
  };
}

/** The refusal for a caller that has gone. Nobody is left to read it. */
const callerGone = (): Refusal => new Refusal("assist_busy", "The caller went away before the work was done.");
