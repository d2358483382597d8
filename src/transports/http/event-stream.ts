// Server-sent events on a bare socket: frames are rendered once for all readers, and a reader that does not keep up is cut off.
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import type { Sink } from "../../board/live/feed.ts";
import type { LiveEvent } from "../../board/live/occurrence.ts";
import { errorBody, Refusal } from "../../core/errors.ts";

/** What may wait for one reader. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WAITING_FRAMES = 500;
/** A replay goes on while less than this waits. */
const REPLAY_BYTES = 256 * 1024;
const STALLED_MS = 30_000;
const KEEP_ALIVE_MS = 15_000;
/** How long a reader that was told to go may still read what was sent. */
const FAREWELL_MS = 5_000;

const HEADERS = [
  "HTTP/1.1 200 OK",
  "content-type: text/event-stream; charset=utf-8",
  "cache-control: no-store",
  "x-accel-buffering: no",
  "x-content-type-options: nosniff",
  "access-control-allow-origin: *",
  // The stream ends where the connection does, so frames need no chunks around them and one buffer serves all readers.
  "connection: close",
].join("\r\n");
const KEEP_ALIVE = Buffer.from(": ka\n\n");

function frame(name: string, json: string, seq?: number): string {
  return `${seq === undefined ? "" : `id: ${seq}\n`}event: ${name}\ndata: ${json}\n\n`;
}

/** The same array of events goes to every reader of a filter: its bytes are made once. */
const rendered = new WeakMap<readonly LiveEvent[], Buffer>();
function bytesOf(events: readonly LiveEvent[]): Buffer {
  let bytes = rendered.get(events);
  if (bytes === undefined) {
    bytes = Buffer.from(events.map(({ name, json, seq }) => frame(name, json, seq)).join(""));
    rendered.set(events, bytes);
  }
  return bytes;
}

class SocketSink implements Sink {
  readonly #socket: Socket;
  readonly #baseUrl: string;
  #waitingFrames = 0;
  #ended = false;

  constructor(socket: Socket, baseUrl: string) {
    this.#socket = socket;
    this.#baseUrl = baseUrl;
    socket.on("drain", () => (this.#waitingFrames = 0));
  }

  get open(): boolean {
    return !this.#ended && this.#socket.writable;
  }

  control(name: string, body: object, seq?: number): void {
    this.#write(frame(name, JSON.stringify(body), seq), 1);
  }

  deliver(events: readonly LiveEvent[]): void {
    this.#write(bytesOf(events), events.length);
  }

  keepAlive(): void {
    // Whoever has not taken the last bytes needs no more of them.
    if (this.open && this.#socket.writableLength === 0) this.#socket.write(KEEP_ALIVE);
  }

  async ready(): Promise<boolean> {
    if (this.open && this.#socket.writableLength > REPLAY_BYTES) await this.#drained();
    return this.open;
  }

  end(refusal: Refusal): void {
    if (!this.open) return;
    this.#ended = true;
    this.#socket.end(frame("error", JSON.stringify(errorBody(refusal, this.#baseUrl))));
    setTimeout(() => this.#socket.destroy(), FAREWELL_MS).unref();
  }

  #write(data: string | Buffer, frames: number): void {
    if (!this.open) return;
    if (this.#socket.write(data)) return;
    this.#waitingFrames += frames;
    if (this.#socket.writableLength > MAX_WAITING_BYTES || this.#waitingFrames > MAX_WAITING_FRAMES)
      this.end(new Refusal("consumer_too_slow"));
  }

  /** Until there is room, the reader is gone, or it has stalled too long. */
  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#socket.off("drain", done).off("close", done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.end(new Refusal("consumer_too_slow"));
        done();
      }, STALLED_MS);
      this.#socket.on("drain", done).on("close", done);
    });
  }
}

/** All open event streams of a server, kept alive together. */
export class EventStreams {
  readonly #sinks = new Set<SocketSink>();
  readonly #baseUrl: string;
  readonly #timer: NodeJS.Timeout;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#timer = setInterval(() => {
      for (const sink of this.#sinks) sink.keepAlive();
    }, KEEP_ALIVE_MS);
    this.#timer.unref();
  }

  get open(): number {
    return this.#sinks.size;
  }

  /** Takes the socket out of HTTP and lets the feed write to it until either side goes. */
  start(reply: FastifyReply, feed: (sink: Sink) => { stop(): void; done: Promise<void> }, closed: () => void): void {
    const { socket } = reply.raw;
    reply.hijack();
    if (socket === null || socket.destroyed) return closed();
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.write(`${HEADERS}\r\n\r\nretry: 3000\n\n`);
    const sink = new SocketSink(socket, this.#baseUrl);
    this.#sinks.add(sink);
    const { stop, done } = feed(sink);
    socket.once("close", () => {
      this.#sinks.delete(sink);
      stop();
      closed();
    });
    socket.on("error", () => socket.destroy());
    done.catch(() => sink.end(new Refusal("storage_unavailable")));
  }

  close(): void {
    clearInterval(this.#timer);
    for (const sink of this.#sinks) sink.end(new Refusal("shutting_down"));
  }
}
