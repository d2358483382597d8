// A separate process that carries out orders, one after the other.
import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { killAtExit } from "../../test/support/leftovers.ts";

export class ChildByOrders<Order extends Serializable, Report> implements Disposable {
  readonly #child: ChildProcess;
  readonly #ended = new AbortController();

  constructor(program: URL, priority = 0) {
    this.#child = fork(program);
    this.#child.once("exit", () => this.#ended.abort(new Error(`${program.pathname} has ended.`)));
    killAtExit(this.#child);
    if (this.#child.pid !== undefined && priority > 0) setPriority(this.#child.pid, priority);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async order(order: Order): Promise<Report> {
    const answer = once(this.#child, "message", { signal: this.#ended.signal });
    this.#child.send(order);
    const [report] = (await answer) as [Report];
    return report;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}
