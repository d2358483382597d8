// Requests of one address take turns: a few are handled at once, and each turn of the event loop begins a few milliseconds of them.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { callerOf } from "../../board/limits/callers.ts";
import type { TurnLimits } from "../../board/limits/rate.ts";

/** The turn of a request ends when this does. */
export interface Ending {
  readonly destroyed: boolean;
  once(event: "prefinish" | "close", listener: () => void): Ending;
}

interface Lane {
  /** Requests that are handled now, and requests that wait. */
  underWay: number;
  /** Requests that began in this turn of the event loop. */
  entered: number;
  readonly waiting: (() => void)[];
  /** Milliseconds used in this turn of the event loop, and the requests that wait for the next turn. */
  usedMs: number;
  readonly arrived: (() => void)[];
  /** Nothing more begins before this time: after work for one caller, other callers get as much time. */
  restsUntil: number;
  /** A timer is set that continues after that time. */
  waking: boolean;
}

/**
 * More than its connections bring at once, if each waits for its answer. A connection that sends on without waiting is closed then: to
 * refuse thousands of requests one by one, in the turn in which they arrive, takes as long as to answer them.
 */
const MOST_ARRIVED = 1000;

/** If more requests of a caller wait, nothing more is read from any of its connections: to parse what all of them have sent takes long. */
const READ_ON = 100;

const LONG_BYTES = 64 * 1024;

export class RequestTurns {
  readonly #limits: TurnLimits;
  readonly #lanes = new Map<string, Lane>();
  readonly #releases = new WeakMap<object, (() => void)[]>();
  /** The open connections of each caller, and those of them from which nothing is read now. */
  readonly #connections = new Map<string, Set<Socket>>();
  readonly #unread = new Map<string, Socket[]>();
  /** How many requests of a connection wait to begin. */
  readonly #onSocket = new WeakMap<Socket, number>();
  /** Connections with a request that began in this turn although too many wait. */
  #over = new WeakSet<Socket>();
  #scheduled = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Learns which connections belong to one caller. A proxy has many callers behind it. */
  follow(server: Server, isTrusted: (address: string | undefined) => boolean): void {
    server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
      if (isTrusted(socket.remoteAddress)) return;
      const caller = callerOf(socket.remoteAddress);
      const open = this.#connections.get(caller) ?? new Set();
      this.#connections.set(caller, open.add(socket));
      this.#unread.get(caller)?.push(socket.pause());
      socket.once("close", () => {
        open.delete(socket);
        if (open.size === 0) this.#connections.delete(caller);
      });
    });
  }

  /** Handles a request that has arrived, now or in one of the next turns. */
  begin(caller: string, socket: Socket, handle: () => void): void {
    if (socket.destroyed) return;
    const lane = this.#laneOf(caller);
    if (this.#isFree(lane)) timed(lane, handle);
    else if (lane.arrived.length < MOST_ARRIVED) {
      this.#wait(lane, socket, handle);
      if (lane.arrived.length > READ_ON) this.#stopReading(caller);
    } else if ((this.#onSocket.get(socket) ?? 0) > 0 || this.#over.has(socket)) socket.destroy();
    else {
      this.#over.add(socket);
      timed(lane, handle);
    }
    this.#schedule();
  }

  #wait(lane: Lane, socket: Socket, handle: () => void): void {
    this.#onSocket.set(socket, (this.#onSocket.get(socket) ?? 0) + 1);
    lane.arrived.push(() => {
      this.#onSocket.set(socket, (this.#onSocket.get(socket) ?? 1) - 1);
      // If the caller has gone, the request is not handled at all.
      if (!socket.destroyed) timed(lane, handle);
    });
  }

  #stopReading(caller: string): void {
    if (this.#unread.has(caller)) return;
    const reading = [...(this.#connections.get(caller) ?? [])].filter((socket) => !socket.isPaused());
    for (const socket of reading) socket.pause();
    this.#unread.set(caller, reading);
  }

  #readOn(caller: string): void {
    const sockets = this.#unread.get(caller);
    if (sockets === undefined) return;
    this.#unread.delete(caller);
    for (const socket of sockets) socket.resume();
  }

  /** Handles the request if that is possible now, and returns whether it did. */
  beginNow(caller: string, handle: () => void): boolean {
    const lane = this.#laneOf(caller);
    const free = this.#isFree(lane);
    if (free) timed(lane, handle);
    this.#schedule();
    return free;
  }

  /** Called before the body of a request is read. Long bodies of one caller wait for each other, so that few are in memory. */
  enterLong(caller: string, request: IncomingMessage, response: Ending): Promise<void> | undefined {
    const { "content-length": length, "transfer-encoding": pieces } = request.headers;
    if (pieces === undefined && Number(length ?? 0) < LONG_BYTES) return undefined;
    return this.enter(`${caller} long`, request, response);
  }

  /** Resolves when the caller's next request may be handled. Its turn ends with its answer. */
  enter(caller: string, request: object, response: Ending): Promise<void> | undefined {
    const lane = this.#laneOf(caller);
    const begin = (): void => {
      lane.underWay++;
      lane.entered++;
      let released = false;
      const release = (): void => {
        if (released) return;
        released = true;
        lane.underWay--;
        this.#schedule();
      };
      this.#releases.set(request, [...(this.#releases.get(request) ?? []), release]);
      response.once("prefinish", release).once("close", release);
      if (response.destroyed) release();
    };
    this.#schedule();
    if (lane.waiting.length === 0 && this.#mayEnter(lane)) {
      begin();
      return undefined;
    }
    return new Promise((resolve) => {
      lane.waiting.push(() => {
        begin();
        resolve();
      });
    });
  }

  /** Adds the time that a request of the caller took. */
  used(caller: string, ms: number): void {
    const pause = this.#limits.pauseFor(ms);
    if (pause === 0) return;
    this.#laneOf(caller).restsUntil = performance.now() + pause;
    this.#schedule();
  }

  /** From now on the request only waits, or is sent as fast as it is read, so other requests of its caller may begin. */
  release(request: object): void {
    for (const release of this.#releases.get(request) ?? []) release();
  }

  #laneOf(caller: string): Lane {
    let lane = this.#lanes.get(caller);
    if (lane === undefined)
      this.#lanes.set(caller, (lane = { underWay: 0, entered: 0, waiting: [], usedMs: 0, arrived: [], restsUntil: 0, waking: false }));
    return lane;
  }

  #isFree(lane: Lane): boolean {
    return lane.arrived.length === 0 && lane.usedMs < this.#limits.turnMs && !isResting(lane);
  }

  #mayEnter(lane: Lane): boolean {
    const { underWay, entered } = lane;
    return underWay < this.#limits.atOnce && entered < this.#limits.perTurn && !isResting(lane);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#scheduled = false;
    this.#over = new WeakSet();
    const now = performance.now();
    for (const [caller, lane] of this.#lanes) {
      const pause = this.#limits.pauseFor(lane.usedMs);
      if (pause > 0) lane.restsUntil = Math.max(lane.restsUntil, now + pause);
      lane.usedMs = 0;
      lane.entered = 0;
      if (lane.restsUntil > now) this.#wake(lane, lane.restsUntil - now);
      else this.#goOn(caller, lane);
    }
  }

  #goOn(caller: string, lane: Lane): void {
    while (lane.waiting.length > 0 && this.#mayEnter(lane)) lane.waiting.shift()?.();
    while (lane.arrived.length > 0 && lane.usedMs < this.#limits.turnMs) lane.arrived.shift()?.();
    if (lane.arrived.length === 0) this.#readOn(caller);
    if (lane.arrived.length > 0 || lane.usedMs > 0 || lane.entered > 0) this.#schedule();
    else if (lane.underWay === 0 && lane.waiting.length === 0) this.#lanes.delete(caller);
  }

  /** Each lane has its own timer, so that no caller waits for the pause of another. */
  #wake(lane: Lane, ms: number): void {
    if (lane.waking) return;
    lane.waking = true;
    setTimeout(() => {
      lane.waking = false;
      this.#schedule();
    }, ms).unref();
  }
}

const isResting = ({ restsUntil }: Lane): boolean => restsUntil !== 0 && performance.now() < restsUntil;

function timed(lane: Lane, handle: () => void): void {
  const began = performance.now();
  handle();
  lane.usedMs += performance.now() - began;
}
