// Sends commands to a crowd of readers in another process.
import { ChildByOrders } from "./child-by-orders.ts";
import type { CrowdOrder, CrowdReport } from "./stream-readers-and-poster-child.ts";

export class CrowdProcess extends ChildByOrders<CrowdOrder, CrowdReport> {
  constructor() {
    super(new URL("./stream-readers-and-poster-child.ts", import.meta.url));
  }
}
