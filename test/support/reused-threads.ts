// Replaces `src/adapters/system/start-thread.ts` in tests: a thread whose board has ended serves the next one, because loading its code
// takes most of a short life. The code is the same, and a thread has one board at a time. A thread that fails ends, as in production.
import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort, type Transferable, Worker } from "node:worker_threads";
import type { Thread, ThreadStart } from "../../src/adapters/system/start-thread.ts";
import { workerUrl } from "./built-threads.ts";

export interface HostedStart extends ThreadStart {
  readonly port: MessagePort;
}

/** Idle threads, by the module that they have loaded. */
const idle = new Map<string, Worker[]>();

export function startThread(file: string, from: string, data?: unknown): Thread {
  return new ReusedThread({ module: workerUrl(file, from).href, data });
}

class ReusedThread extends EventEmitter implements Thread {
  readonly #module: string;
  readonly #host: Worker;
  readonly #port: MessagePort;
  readonly #ended: Promise<number>;

  constructor({ module, data }: ThreadStart) {
    super();
    this.#module = module;
    this.#host = idle.get(module)?.pop() ?? newHost();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (message: unknown) => this.emit("message", message));
    this.#ended = this.#end();
    this.#host.postMessage({ module, data, port: port2 } satisfies HostedStart, [port2]);
  }

  postMessage(message: unknown, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, [...transfer]);
  }

  unref(): void {
    this.#port.unref();
  }

  /** Lets the thread finish its present task, so this is not for threads with long tasks. */
  terminate(): Promise<number> {
    this.#port.close();
    return this.#ended;
  }

  /** Resolves when it has closed its port or has died; all its messages have been received by then. */
  async #end(): Promise<number> {
    const closed = new Promise<void>((resolve) => this.#port.once("close", resolve));
    const code = await new Promise<number | undefined>((resolve) => {
      const onMessage = (): void => finish(undefined);
      const onError = (error: unknown): void => void this.emit("error", error);
      const finish = (exit: number | undefined): void => {
        this.#host.off("message", onMessage).off("error", onError).off("exit", finish);
        resolve(exit);
      };
      this.#host.on("message", onMessage).on("error", onError).on("exit", finish);
    });
    await closed;
    if (code === undefined) idle.set(this.#module, [...(idle.get(this.#module) ?? []), this.#host]);
    this.emit("exit", code ?? 0);
    return code ?? 0;
  }
}

function newHost(): Worker {
  const host = new Worker(new URL("./host-thread.ts", import.meta.url));
  // An idle thread does not keep the process alive.
  host.unref();
  return host;
}
