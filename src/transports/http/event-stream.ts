// Server-sent events on a bare socket: frames are rendered once for all readers, and a reader that does not keep up is cut off.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import type { Feed } from "../../board/live/feed.ts";
import type { LiveEvent } from "../../board/live/log-event.ts";
import type { Sink } from "../../board/live/replay.ts";
import { errorBody, Refusal } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import type { Door } from "./door.ts";
import { refusalFor } from "./refusals.ts";

/** What may wait for one reader. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WAITING_FRAMES = 500;
const TICK_MS = 1000;
const KEEP_ALIVE_TICKS = 15;
/** A reader that leaves what was sent untaken for so long is cut off. */
const STALLED_TICKS = 30;
/** How long a reader that was told to go may still read what was sent. */
const FAREWELL_MS = 5_000;

export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8";
/** Nobody on the way may keep, change or collect what is sent. */
export const EVENT_STREAM_HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } as const;

// The stream ends where the connection does, so frames need no chunks around them and one buffer serves all readers.
function openingOf(headers: Door["headers"]): Buffer {
  const head = Object.entries({ ...headers, "content-type": EVENT_STREAM_TYPE, ...EVENT_STREAM_HEADERS, connection: "close" });
  return Buffer.from(`HTTP/1.1 200 OK\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\nretry: 3000\n\n`);
}
const KEEP_ALIVE = Buffer.from(": ka\n\n");

function frame(name: string, json: string, seq?: number): Buffer {
  return Buffer.from(`${seq === undefined ? "" : `id: ${seq}\n`}event: ${name}\ndata: ${json}\n\n`);
}

/** The same events go to many readers: their bytes are made once, alone and together. */
const rendered = new WeakMap<LiveEvent | readonly LiveEvent[], Buffer>();
function kept<Key extends LiveEvent | readonly LiveEvent[]>(key: Key, make: (key: Key) => Buffer): Buffer {
  let bytes = rendered.get(key);
  if (bytes === undefined) rendered.set(key, (bytes = make(key)));
  return bytes;
}
const frameOf = (event: LiveEvent): Buffer => kept(event, ({ name, json, seq }) => frame(name, json, seq));
function bytesOf(events: readonly LiveEvent[]): Buffer {
  const [first, second] = events;
  return first !== undefined && second === undefined ? frameOf(first) : kept(events, () => Buffer.concat(events.map(frameOf)));
}

class SocketSink implements Sink {
  readonly #socket: Socket;
  readonly #streams: EventStreams;
  #waitingFrames = 0;
  /** Messages whose content may be among what waits. */
  #waitingMessages = new Set<string>();
  #stalledTicks = 0;
  #ended = false;
  #taken = (): void => {};
  /** Lets the feed go. */
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

  /** What waits cannot be taken back one by one: the reader is cut off, and comes back to where it was. */
  dropIfWaiting(removed: ReadonlySet<string>): void {
    if (!this.#waitingMessages.isDisjointFrom(removed)) this.#socket.destroy();
  }

  keepAlive(): void {
    // Whoever has not taken the last bytes needs no more of them.
    if (this.open && this.#socket.writableLength === 0) this.#socket.write(KEEP_ALIVE);
  }

  /** One tick more in which nothing was taken. */
  wait(): void {
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

  /** Nothing more can be sent. */
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
  /** Readers by the tick at which they are kept alive, so that not all are written to at once. */
  readonly #turns: readonly Set<SocketSink>[] = Array.from({ length: KEEP_ALIVE_TICKS }, () => new Set<SocketSink>());
  /** Readers for whom something waits. */
  readonly behind = new Set<SocketSink>();
  #ticks = 0;
  #closed = false;
  #stopTicking = () => {};

  readonly #opening: Buffer;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#opening = openingOf(parts.door.headers);
    this.#tick();
  }

  get open(): number {
    return this.#turns.reduce((sum, sinks) => sum + sinks.size, 0);
  }

  /** Calls back when so much time has passed; the answer calls it off. */
  after(ms: number, callback: () => void): () => void {
    const { clock } = this.#parts;
    return clock.at(clock.now() + ms, callback);
  }

  errorText(refusal: Refusal): string {
    return JSON.stringify(errorBody(refusal, this.#parts.baseUrl));
  }

  /** Takes the socket out of HTTP and lets the feed write to it until either side goes. */
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

  /** Nothing of these messages goes out any more, also not to those who were slow to take it. */
  forget(removed: ReadonlySet<string>): void {
    // Also those who were told to go and have not taken everything yet.
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

  #tick(): void {
    const { clock } = this.#parts;
    this.#stopTicking = clock.at(clock.now() + TICK_MS, () => {
      this.#tick();
      this.#ticks++;
      for (const sink of this.behind) sink.wait();
      for (const sink of this.#currentTurn) sink.keepAlive();
    });
  }
}

/**
 * The socket without HTTP on it: request and answer are let go, and what the caller still sends is read, to notice its end, and dropped.
 * The server's own listeners for the end of the connection stay, for they count connections and take the parser back.
 */
function takeSocket(response: ServerResponse): Socket | undefined {
  const { socket } = response;
  // A caller may have hung up while its question was looked at; its end is not told twice.
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
