// The load generator's own process: makes posts ahead of time, then sends them when told to.
import { drive, type Measured } from "./load.ts";
import { posts } from "./posts.ts";

export type Order =
  | { readonly make: number }
  | { readonly post: { readonly ports: readonly number[]; readonly connections: number; readonly seconds: number } }
  | { readonly get: Gets };

export interface Gets {
  readonly ports: readonly number[];
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** Further lines of each request's head. */
  readonly headers?: readonly string[] | undefined;
}

export type Report = { readonly made: number } | { readonly measured: Measured };

const source = posts();
const ready: Buffer[] = [];

async function obey(order: Order): Promise<Report> {
  if ("make" in order) {
    while (ready.length < order.make) ready.push(source.next().value);
    return { made: ready.length };
  }
  if ("post" in order) return { measured: await drive({ ...order.post, next: () => ready.pop() }) };
  const head = ["host: 127.0.0.1", ...(order.get.headers ?? [])].map((line) => `${line}\r\n`).join("");
  const requests = order.get.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`));
  let sent = 0;
  return { measured: await drive({ ...order.get, next: () => requests[sent++ % requests.length] }) };
}

process.on("message", (order: Order) => {
  void obey(order).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit(0));
