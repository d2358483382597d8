// A crowd of stream readers in a separate process: raw sockets that only count frames, and a poster that waits until they have them.
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { quantile } from "./load.ts";
import { agentOf, taggedPost } from "./tagged-posts.ts";

export type Audience = "everything" | "tag" | "author" | "distinct";

export type CrowdOrder =
  | { readonly open: { readonly port: number; readonly readers: number; readonly audience: Audience } }
  /** Posts go to the port that the readers use, unless another is given. */
  | { readonly paced: { readonly posts: number; readonly pauseMs: number }; readonly port?: number }
  | { readonly flatOut: { readonly connections: number; readonly seconds: number }; readonly port: number }
  /** Counts the frames that arrive within this many seconds, without posting. */
  | { readonly listen: { readonly seconds: number } }
  | { readonly close: true };

export interface CrowdReport {
  readonly seconds: number;
  readonly posts: number;
  readonly deliveries: number;
  /** Milliseconds from acknowledgement to receipt. */
  readonly p50: number;
  readonly p99: number;
}

const OPEN_AT_ONCE = 100;
const LEAD = 128;
/** Posts are spread over this many tags and this many authors. */
export const SHARES = 1000;
const FRAME_END = "}\n\n";

interface Reader {
  readonly socket: Socket;
  /** The last two characters of the read before, for a frame that ends across two reads. */
  tail: string;
}

let port = 0;
let audience: Audience = "everything";
let readers: Reader[] = [];
let received = 0;
let made = 0;
let onFrames: (frames: number) => void = () => {};
/** Callers that wait until this many frames have arrived. */
let waiting: { readonly frames: number; readonly resolve: () => void }[] = [];
/** All sockets read into the same buffer, one after the other. */
const memory = Buffer.allocUnsafe(256 * 1024);

function countFrames(reader: Reader, bytes: number): number {
  const chunk = memory.subarray(0, bytes);
  const start = reader.tail + chunk.toString("latin1", 0, 2);
  let frames = start.length > 2 && start.includes(FRAME_END) && start.indexOf(FRAME_END) < reader.tail.length ? 1 : 0;
  for (let at = chunk.indexOf(FRAME_END); at >= 0; at = chunk.indexOf(FRAME_END, at + FRAME_END.length)) frames++;
  reader.tail = (reader.tail + chunk.toString("latin1", Math.max(0, bytes - 2))).slice(-2);
  return frames;
}

const QUERY: Readonly<Record<Audience, (reader: number) => string>> = {
  everything: () => "",
  tag: (reader) => `?tag=t${reader % SHARES}`,
  author: (reader) => `?author=${agentOf(reader % SHARES).id}`,
  distinct: (reader) => `?tag_not=none${reader}`,
};

/** The `live` frame is the second one with data; all later frames are deliveries. */
async function openReader(n: number): Promise<void> {
  const opened = Promise.withResolvers<void>();
  let greeting = 2;
  const onread = {
    buffer: memory,
    callback(bytes: number): boolean {
      let frames = countFrames(reader, bytes);
      if (greeting > 0) {
        const greeted = Math.min(greeting, frames);
        greeting -= greeted;
        frames -= greeted;
        if (greeting === 0) opened.resolve();
      }
      received += frames;
      if (frames > 0) onFrames(frames);
      if (waiting.length > 0) wake();
      return true;
    },
  };
  const socket = connect({ port, host: "127.0.0.1", onread }, () => {
    socket.write(`GET /api/stream${QUERY[audience](n)} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  });
  const reader: Reader = { socket, tail: "" };
  socket.on("error", opened.reject).on("close", () => opened.reject(new Error("A reader was cut off.")));
  readers.push(reader);
  await opened.promise;
  socket.removeAllListeners("close");
  socket.on("close", () => {
    if (readers.length > 0) throw new Error("A reader was cut off.");
  });
}

/** The number of readers that receive a post. */
function audienceOf(post: number): number {
  if (audience === "everything" || audience === "distinct") return readers.length;
  return Math.floor(readers.length / SHARES) + (post % SHARES < readers.length % SHARES ? 1 : 0);
}

/** Connections that post, each one post at a time. */
class Poster {
  readonly #socket: Socket;

  constructor(to = port) {
    this.#socket = connect({ port: to, host: "127.0.0.1", noDelay: true });
  }

  async post(request: Buffer): Promise<number> {
    this.#socket.write(request);
    const [chunk] = (await once(this.#socket, "data")) as [Buffer];
    const at = performance.now();
    const status = chunk.toString("latin1", 9, 12);
    if (status !== "201") throw new Error(`A post was answered with ${chunk.toString("latin1", 0, 400)}`);
    return at;
  }
  close(): void {
    this.#socket.destroy();
  }
}

function until(frames: number): Promise<void> {
  if (received >= frames) return Promise.resolve();
  return new Promise((resolve) => waiting.push({ frames, resolve }));
}

function wake(): void {
  const reached = waiting.filter(({ frames }) => frames <= received);
  if (reached.length === 0) return;
  waiting = waiting.filter(({ frames }) => frames > received);
  for (const { resolve } of reached) resolve();
}

/** Sends one post after the other, each when all readers have the one before. */
async function paced(posts: number, pauseMs: number, to?: number): Promise<CrowdReport> {
  const poster = new Poster(to);
  const times: number[] = [];
  const start = performance.now();
  const before = received;
  for (let i = 0; i < posts; i++) {
    const n = made++;
    const request = taggedPost(n);
    const at: { time: number; frames: number }[] = [];
    onFrames = (frames) => void at.push({ time: performance.now(), frames });
    const expected = received + audienceOf(n);
    const acknowledged = await poster.post(request);
    await until(expected);
    for (const { time, frames } of at) for (let k = 0; k < frames; k++) times.push(Math.max(0, time - acknowledged));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  onFrames = () => {};
  poster.close();
  return report(start, posts, received - before, times);
}

/** As fast as possible: each of `connections` posts one after the other, but never more than `LEAD` posts ahead of the slowest reader. */
async function flatOut(connections: number, seconds: number): Promise<CrowdReport> {
  const enough = seconds * (readers.length === 0 || audience === "tag" || audience === "author" ? 8000 : 4000);
  const requests = Array.from({ length: enough }, () => ({ n: made, request: taggedPost(made++) }));
  const start = performance.now();
  const before = received;
  let expected = received;
  let posts = 0;
  const run = async (poster: Poster): Promise<void> => {
    while (performance.now() - start < seconds * 1000) {
      await until(expected - LEAD * audienceOf(0));
      const next = requests.pop();
      if (next === undefined) throw new Error("There are no more posts ready.");
      expected += audienceOf(next.n);
      posts++;
      await poster.post(next.request);
    }
    poster.close();
  };
  await Promise.all(Array.from({ length: connections }, () => run(new Poster())));
  await until(expected);
  return report(start, posts, received - before, []);
}

function report(start: number, posts: number, deliveries: number, times: readonly number[]): CrowdReport {
  const sorted = Float64Array.from(times).sort();
  return { seconds: (performance.now() - start) / 1000, posts, deliveries, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

async function obey(order: CrowdOrder): Promise<CrowdReport> {
  const start = performance.now();
  const before = received;
  if ("open" in order) {
    ({ port, audience } = order.open);
    const all = readers.length + order.open.readers;
    while (readers.length < all) {
      const from = readers.length;
      await Promise.all(Array.from({ length: Math.min(OPEN_AT_ONCE, all - from) }, (_, k) => openReader(from + k)));
    }
  } else if ("paced" in order) return paced(order.paced.posts, order.paced.pauseMs, order.port);
  else if ("flatOut" in order) {
    ({ port } = order);
    return flatOut(order.flatOut.connections, order.flatOut.seconds);
  } else if ("listen" in order) await new Promise((resolve) => setTimeout(resolve, order.listen.seconds * 1000));
  else {
    const leaving = readers;
    readers = [];
    for (const { socket } of leaving) socket.destroy();
  }
  return report(start, 0, received - before, []);
}

const answer = async (order: CrowdOrder): Promise<void> => void process.send?.(await obey(order));
process.on("message", (order: CrowdOrder) => void answer(order));
process.on("disconnect", () => process.exit(0));
