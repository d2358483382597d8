// The process of the load generator: makes posts ahead of time, then sends them on command.
import { drive, type Measured } from "./load.ts";
import { nostrEvents, nostrQuestion } from "./nostr-events.ts";
import { nostrConversation } from "./nostr-load.ts";
import { bundles, type PostKind, posts } from "./posts.ts";

/** Posts in a bundle. */
export const BUNDLE = 16;

/** A post of a kind or a bundle of them for a board, or an event for a Nostr relay. */
export type Goods = PostKind | "bundle" | "event";

export interface Posts {
  readonly goods: Goods;
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** Ends after this many, even if there is time left. */
  readonly most?: number | undefined;
  /** Events of one connection that may wait for their answers at once. */
  readonly depth?: number | undefined;
}

export type Order =
  | { readonly make: { readonly goods: Goods; readonly count: number } }
  | { readonly post: Posts }
  | { readonly get: Gets }
  | { readonly ask: Asks }
  /** The ids of this many events that it sent last. */
  | { readonly ids: number };

export interface Gets {
  readonly ports: readonly number[];
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** More header lines for each request. */
  readonly headers?: readonly string[] | undefined;
}

/** The same for a Nostr relay. */
export interface Asks {
  readonly port: number;
  readonly filters: readonly object[];
  readonly connections: number;
  readonly seconds: number;
}

export type Report = { readonly made: number } | { readonly measured: Measured } | { readonly ids: readonly string[] };

interface Ready {
  readonly bytes: Buffer;
  /** The id of an event. */
  readonly id?: string;
}

function* ready(source: Iterator<Buffer, never>): Generator<Ready, never> {
  for (;;) yield { bytes: source.next().value };
}

const SOURCES: Readonly<Record<Goods, Iterator<Ready, never>>> = {
  note: ready(posts("note")),
  task: ready(posts("task")),
  bundle: ready(bundles(BUNDLE)),
  event: nostrEvents(),
};
const made: Readonly<Record<Goods, Ready[]>> = { note: [], task: [], bundle: [], event: [] };
const sentIds: string[] = [];

function next(goods: Goods): Buffer | undefined {
  const { bytes, id } = made[goods].pop() ?? {};
  if (id !== undefined) sentIds.push(id);
  return bytes;
}

function post({ goods, most = Infinity, depth = 1, ...load }: Posts): Promise<Measured> {
  let left = most;
  const converse = goods === "event" ? nostrConversation(depth) : undefined;
  return drive({ ...load, converse, next: () => (left-- > 0 ? next(goods) : undefined) });
}

const inTurn = (requests: readonly Buffer[]): (() => Buffer | undefined) => {
  let sent = 0;
  return () => requests[sent++ % requests.length];
};

async function obey(order: Order): Promise<Report> {
  if ("make" in order) {
    const { goods, count } = order.make;
    while (made[goods].length < count) made[goods].push(SOURCES[goods].next().value);
    return { made: made[goods].length };
  }
  if ("ids" in order) return { ids: sentIds.slice(-order.ids) };
  if ("post" in order) return { measured: await post(order.post) };
  if ("ask" in order) {
    const { port, filters, ...load } = order.ask;
    return { measured: await drive({ ...load, ports: [port], converse: nostrConversation(1), next: inTurn(filters.map(nostrQuestion)) }) };
  }
  const head = ["host: 127.0.0.1", ...(order.get.headers ?? [])].map((line) => `${line}\r\n`).join("");
  const requests = order.get.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`));
  return { measured: await drive({ ...order.get, next: inTurn(requests) }) };
}

process.on("message", (order: Order) => {
  void obey(order).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit(0));
