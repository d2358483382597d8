// Starts a thread of the board: calls `run` of a module there, with a port to the starter and the given data.
import type { EventEmitter } from "node:events";
import { type MessagePort, type Transferable, Worker } from "node:worker_threads";
import { workerUrl } from "./worker-url.ts";

/** Like a `Worker`: emits `message`, `error` and `exit`. It ends when it closes its port, or is terminated. */
export interface Thread extends EventEmitter {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  unref(): void;
  terminate(): Promise<number>;
}

export interface ThreadModule {
  readonly run: (port: MessagePort, data: unknown) => void | Promise<void>;
}

export interface ThreadStart {
  readonly module: string;
  readonly data: unknown;
}

/** `file` is the name of the module's file, beside the file `from`. */
export function startThread(file: string, from: string, data?: unknown): Thread {
  const start: ThreadStart = { module: workerUrl(file, from).href, data };
  return new Worker(workerUrl("worker-entry-thread", import.meta.url), { name: file.replace(/-thread$/, ""), workerData: start });
}
