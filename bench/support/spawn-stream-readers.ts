// Sends commands to a crowd of readers in another process.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { CrowdOrder, CrowdReport } from "./stream-readers-and-poster-child.ts";

export class CrowdProcess {
  readonly #child: ChildProcess = fork(new URL("./stream-readers-and-poster-child.ts", import.meta.url));
  readonly #ended = new AbortController();

  constructor() {
    this.#child.once("exit", () => this.#ended.abort(new Error("The crowd has ended.")));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async order(order: CrowdOrder): Promise<CrowdReport> {
    this.#child.send(order);
    const [report] = (await once(this.#child, "message", { signal: this.#ended.signal })) as [CrowdReport];
    return report;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}
