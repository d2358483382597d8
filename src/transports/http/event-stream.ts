// Server-sent events on a plain socket. Frames are rendered once for all readers, and a reader that is too slow is disconnected.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import type { Feed } from "../../board/live/subscriber-stream.ts";
import type { LiveEvent } from "../../board/live/log-event.ts";
import type { Sink } from "../../board/live/replay.ts";
import { errorBody, Refusal } from "../../core/errors.ts";
import { type Clock, every } from "../../ports/clock.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import type { Door } from "./cors-and-local-access.ts";
import { refusalFor } from "./refusals.ts";

/** The most that may wait for one reader. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WAITING_FRAMES = 500;
const TICK_MS = 1000;
const KEEP_ALIVE_TICKS = 15;
/** A reader that reads nothing for this long is disconnected. */
const STALLED_TICKS = 30;
/** How long a reader that is being disconnected may still read what was sent. */
const FAREWELL_MS = 5_000;

export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8";
/** No proxy may cache, change or collect the events. */
export const EVENT_STREAM_HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } as const;

// The stream ends with its connection, so frames need no chunk headers and one buffer serves all readers.
function openingOf(headers: Door["headers"]): Buffer {
  const head = Object.entries({ ...headers, "content-type": EVENT_STREAM_TYPE, ...EVENT_STREAM_HEADERS, connection: "close" });
  return Buffer.from(`HTTP/1.1 200 OK\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\nretry: 3000\n\n`);
}
const KEEP_ALIVE = Buffer.from(": ka\n\n");

function frame(name: string, json: string, seq?: number): Buffer {
  return Buffer.from(`${seq === undefined ? "" : `id: ${seq}\n`}event: ${name}\ndata: ${json}\n\n`);
}

/** The same events go to many readers, so their bytes are made once: each event alone, and all together. */
const rendered = new WeakMap<LiveEvent | readonly LiveEvent[], Buffer>();
function cached<Key extends LiveEvent | readonly LiveEvent[]>(key: Key, make: (key: Key) => Buffer): Buffer {
  let bytes = rendered.get(key);
  if (bytes === undefined) rendered.set(key, (bytes = make(key)));
  return bytes;
}
const frameOf = (event: LiveEvent): Buffer => cached(event, ({ name, json, seq }) => frame(name, json, seq));
function bytesOf(events: readonly LiveEvent[]): Buffer {
  const [first, second] = events;
  return first !== undefined && second === undefined ? frameOf(first) : cached(events, () => Buffer.concat(events.map(frameOf)));
}

class SocketSink implements Sink {
  readonly #socket: Socket;
  readonly #streams: EventStreams;
  #waitingFrames = 0;
  /** Messages whose content may be in the bytes that wait. */
  #waitingMessages = new Set<string>();
  #stalledTicks = 0;
  #ended = false;
  #taken = (): void => {};
  /** Closes the feed. */
  stop = (): void => {};

  constructor(socket: Socket, streams: EventStreams) {
    this.#socket = socket;
    this.#streams = streams;
    socket.on("drain", () => this.#caughtUp());
  }

  get open(): boolean {
    return !this.#ended && this.#socket.writable;
  }

  control(name: string, body: object, seq: number): void {
    this.#write(frame(name, JSON.stringify(body), seq), 1);
  }

  deliver(events: readonly LiveEvent[]): void {
    this.#write(bytesOf(events), events.length);
    if (this.#waitingFrames === 0) return;
    for (const { name, id } of events) if (name === "message") this.#waitingMessages.add(id);
  }

  /** A single event cannot be removed from the bytes that wait, so the reader is disconnected. It reconnects and continues from its last event. */
  dropIfWaiting(removed: ReadonlySet<string>): void {
    if (!this.#waitingMessages.isDisjointFrom(removed)) this.#socket.destroy();
  }

  keepAlive(): void {
    if (!this.open) return;
    // A reader that has not read the last bytes gets no more of them, and its time begins to count.
    if (this.#socket.writableLength > 0) this.#streams.behind.add(this);
    else this.#socket.write(KEEP_ALIVE);
  }

  /** Counts another tick in which the reader read nothing. */
  wait(): void {
    if (this.#socket.writableLength === 0) return this.#caughtUp();
    if (++this.#stalledTicks >= STALLED_TICKS) this.end(new Refusal("consumer_too_slow"));
  }

  async ready(): Promise<boolean> {
    if (this.open && this.#socket.writableNeedDrain) await new Promise<void>((resolve) => (this.#taken = resolve));
    return this.open;
  }

  end(refusal: Refusal): void {
    if (!this.open) return;
    this.#ended = true;
    this.#socket.end(frame("error", this.#streams.errorText(refusal)));
    this.#socket.once(
      "close",
      this.#streams.after(FAREWELL_MS, () => this.#socket.destroy()),
    );
    this.gone();
  }

  /** Nothing more can be sent to this reader. */
  gone(): void {
    this.#streams.behind.delete(this);
    this.#taken();
    this.stop();
  }

  #write(bytes: Buffer, frames: number): void {
    if (!this.open || this.#socket.write(bytes)) return;
    this.#waitingFrames += frames;
    this.#streams.behind.add(this);
    if (this.#socket.writableLength > MAX_WAITING_BYTES || this.#waitingFrames > MAX_WAITING_FRAMES)
      this.end(new Refusal("consumer_too_slow"));
  }

  #caughtUp(): void {
    this.#waitingFrames = this.#stalledTicks = 0;
    this.#waitingMessages.clear();
    this.#streams.behind.delete(this);
    this.#taken();
  }
}

export interface EventStreamParts {
  readonly door: Pick<Door, "headers">;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly report: RequestReport;
}

/** All open event streams of a server. */
export class EventStreams {
  readonly #parts: EventStreamParts;
  /** Readers by the tick at which they get a keep-alive comment, so that not all are written to at once. */
  readonly #turns: readonly Set<SocketSink>[] = Array.from({ length: KEEP_ALIVE_TICKS }, () => new Set<SocketSink>());
  /** Readers for which bytes wait. */
  readonly behind = new Set<SocketSink>();
  #ticks = 0;
  #closed = false;
  readonly #stopTicking: () => void;

  readonly #opening: Buffer;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#opening = openingOf(parts.door.headers);
    this.#stopTicking = every(parts.clock, TICK_MS, () => {
      this.#ticks++;
      for (const sink of this.behind) sink.wait();
      for (const sink of this.#currentTurn) sink.keepAlive();
    });
  }

  get open(): number {
    return this.#turns.reduce((sum, sinks) => sum + sinks.size, 0);
  }

  /** Calls back after this time. The returned function cancels it. */
  after(ms: number, callback: () => void): () => void {
    const { clock } = this.#parts;
    return clock.at(clock.now() + ms, callback);
  }

  errorText(refusal: Refusal): string {
    return JSON.stringify(errorBody(refusal, this.#parts.baseUrl));
  }

  /** Takes the socket from the HTTP server and lets the feed write to it until either side ends it. */
  start(reply: FastifyReply, feed: Feed, closed: () => void): void {
    reply.hijack();
    const socket = takeSocket(reply.raw);
    if (socket === undefined) return closed();
    socket.write(this.#opening);
    const sink = new SocketSink(socket, this);
    if (this.#closed) sink.end(new Refusal("shutting_down"));
    const turn = this.#currentTurn;
    turn.add(sink);
    const { stop, done } = feed(sink);
    if (sink.open) sink.stop = stop;
    else stop();
    socket.once("close", () => {
      turn.delete(sink);
      sink.gone();
      closed();
    });
    const { report } = this.#parts;
    done.catch((error: unknown) => sink.end(refusalFor(error, report)));
  }

  /** Stops sending the content of these messages, also to slow readers that have not read it yet. */
  forget(removed: ReadonlySet<string>): void {
    // This includes readers that are being disconnected and have not read everything.
    for (const sinks of this.#turns) for (const sink of sinks) sink.dropIfWaiting(removed);
  }

  close(): void {
    this.#closed = true;
    this.#stopTicking();
    for (const sinks of this.#turns) {
      for (const sink of sinks) sink.end(new Refusal("shutting_down"));
    }
  }

  get #currentTurn(): Set<SocketSink> {
    return this.#turns[this.#ticks % KEEP_ALIVE_TICKS]!;
  }
}

/**
 * Takes the socket from the HTTP server. Bytes that the caller still sends are read and dropped, to notice when it hangs up.
 * The server's own listeners for the end of the connection stay, because they count connections and free the parser.
 */
function takeSocket(response: ServerResponse): Socket | undefined {
  const { socket } = response;
  // The caller may have hung up while its request was handled. The end of a socket is reported only once.
  if (socket?.readableEnded === true) socket.destroy();
  if (socket === null || socket.destroyed) return undefined;
  response.detachSocket(socket);
  for (const event of ["data", "end", "drain", "timeout", "error"]) socket.removeAllListeners(event);
  socket.on("data", () => {});
  socket.on("end", () => socket.end());
  socket.on("error", () => socket.destroy());
  socket.setTimeout(0);
  socket.setNoDelay(true);
  return socket;
}
