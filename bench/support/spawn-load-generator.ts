// Sends commands to a load generator in another process.
import { ChildByOrders } from "./child-by-orders.ts";
import type { Asks, Goods, Order, Posts, Report } from "./load-generator-child.ts";
import type { Measured } from "./load.ts";

export class GeneratorProcess extends ChildByOrders<Order, Report> {
  constructor() {
    super(new URL("./load-generator-child.ts", import.meta.url));
  }

  async make(count: number, goods: Goods = "note"): Promise<void> {
    await this.order({ make: { goods, count } });
  }

  /** The connections are spread evenly over the ports. */
  post(ports: readonly number[], connections: number, seconds: number, goods: Goods = "note"): Promise<Measured> {
    return this.send({ goods, ports, connections, seconds });
  }

  async send(post: Posts): Promise<Measured> {
    return measuredIn(await this.order({ post }));
  }

  async ask(ask: Asks): Promise<Measured> {
    return measuredIn(await this.order({ ask }));
  }

  /** The ids of the last `count` events that it sent. */
  async sentIds(count: number): Promise<readonly string[]> {
    const report = await this.order({ ids: count });
    return "ids" in report ? report.ids : [];
  }

  /** Requests these addresses in turn. */
  async get(
    ports: readonly number[],
    paths: readonly string[],
    connections: number,
    seconds: number,
    headers?: readonly string[],
  ): Promise<Measured> {
    return measuredIn(await this.order({ get: { ports, paths, connections, seconds, headers } }));
  }
}

function measuredIn(report: Report): Measured {
  if (!("measured" in report)) throw new Error("The load generator answered something else.");
  return report.measured;
}
