// Mines in several workers at once: each tries different slices, and the first to find a nonce ends the others.
import { mineSlice } from "../core/protocol/proof-of-work.ts";
import { type Mine, mineHere } from "./mine.ts";

/** The order to a worker: try slices `first`, `first + step`, `first + 2 * step` and so on. */
export interface MiningOrder {
  readonly id: string;
  readonly bits: number;
  readonly first: number;
  readonly step: number;
}
/** The report of a worker: a slice without a result, or the nonce that it found. */
export interface MiningReport {
  readonly nonce?: string;
  readonly tries: number;
}

/** A browser's `Worker` has this interface; node/mine-threads.ts has one for Node. */
export interface MiningWorker {
  postMessage(order: MiningOrder): void;
  addEventListener(type: "message", listener: (event: { readonly data: MiningReport }) => void): void;
  addEventListener(type: "error", listener: (event: { readonly message?: string }) => void): void;
  terminate(): unknown;
}

const SLICE_TRIES = 1 << 17;
/** With fewer bits than this, mining is done before a worker has started. */
const EASY_BITS = 15;

/** A miner that starts `count` workers for each nonce, such as `() => new Worker(url, { type: "module" })` over the file browser-worker.ts. */
export function minedBy(start: () => MiningWorker, count: number): Mine {
  return async (id, bits, options = {}) => {
    if (bits <= EASY_BITS) return mineHere(id, bits, options);
    const { signal, onProgress } = options;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const leave = (): void => reject(signal?.reason as Error);
    const workers: MiningWorker[] = [];
    try {
      signal?.addEventListener("abort", leave, { once: true });
      let tries = 0;
      for (let first = 0; first < count; first++) {
        const worker = start();
        workers.push(worker);
        worker.addEventListener("message", ({ data }) => {
          tries += data.tries;
          onProgress?.({ tries, expected: 2 ** bits });
          if (data.nonce !== undefined) resolve(data.nonce);
        });
        worker.addEventListener("error", ({ message }) => reject(new Error(`A mining worker failed: ${message ?? "it did not say why"}`)));
        worker.postMessage({ id, bits, first, step: count });
      }
      return await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
      for (const worker of workers) worker.terminate();
    }
  };
}

/** The main function of a worker: mines until it finds a nonce or is ended. */
export function workOn({ id, bits, first, step }: MiningOrder, report: (report: MiningReport) => void): void {
  for (let slice = first; ; slice += step) {
    const nonce = mineSlice(id, bits, slice * SLICE_TRIES, SLICE_TRIES);
    if (nonce !== undefined) return report({ nonce, tries: SLICE_TRIES });
    report({ tries: SLICE_TRIES });
  }
}
