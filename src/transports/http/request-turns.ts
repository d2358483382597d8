// Requests of one address, or of a part of a wide network, take turns: a few are handled at once, and each turn of the event loop begins a
// few milliseconds of them.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { laneOf } from "../../board/limits/callers.ts";
import type { TurnLimits } from "../../board/limits/caller-pauses.ts";

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

const LONG_BYTES = 64 * 1024;
/** Most of a request runs in promises after it began: up to this many times as long, if others do not run in the same turn. */
const MOST_FOLLOWING = 4;

export class RequestTurns {
  readonly #limits: TurnLimits;
  readonly #lanes = new Map<string, Lane>();
  readonly #releases = new WeakMap<object, (() => void)[]>();
  #calm: (lane: string) => void = () => {};
  #scheduled = false;
  /** When the first request of this turn of the event loop began, and the milliseconds of all that began since. */
  #turnBegan = 0;
  #turnUsedMs = 0;
  /** How many times as long as its requests took to begin the last turn of the event loop was. */
  #following = 1;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Whether a caller has used up its time for now, so that none of its bytes should be read. */
  isBusy(caller: string): boolean {
    const lane = this.#lanes.get(laneOf(caller));
    return lane !== undefined && !this.#isFree(lane);
  }

  /** Parses bytes of a caller. The time counts as used, together with that of requests that begin meanwhile. */
  parse(caller: string, parse: () => void): void {
    this.#timed(this.#laneAt(laneOf(caller)), parse);
    this.#schedule();
  }

  /** Calls back when more bytes of the callers in a lane may be read. */
  onCalm(listener: (lane: string) => void): void {
    this.#calm = listener;
  }

  /** Handles a request that has arrived, now or in one of the next turns. */
  begin(caller: string, socket: Socket, handle: () => void): void {
    if (socket.destroyed) return;
    const lane = this.#laneAt(laneOf(caller));
    if (this.#isFree(lane)) this.#timed(lane, handle);
    else {
      // If the caller has gone, the request is not handled at all.
      lane.arrived.push(() => void (socket.destroyed || this.#timed(lane, handle)));
    }
    this.#schedule();
  }

  /** Handles the request if that is possible now, and returns whether it did. */
  beginNow(caller: string, handle: () => void): boolean {
    const lane = this.#laneAt(laneOf(caller));
    const free = this.#isFree(lane);
    if (free) this.#timed(lane, handle);
    this.#schedule();
    return free;
  }

  /** Called before the body of a request is read. Long bodies of one caller wait for each other, so that few are in memory. */
  enterLong(caller: string, request: IncomingMessage, response: Ending): Promise<void> | undefined {
    const { "content-length": length, "transfer-encoding": pieces } = request.headers;
    if (pieces === undefined && Number(length ?? 0) < LONG_BYTES) return undefined;
    return this.#enter(`${laneOf(caller)} long`, request, response);
  }

  /** Resolves when the caller's next request may be handled. Its turn ends with its answer. */
  enter(caller: string, request: object, response: Ending): Promise<void> | undefined {
    return this.#enter(laneOf(caller), request, response);
  }

  #enter(name: string, request: object, response: Ending): Promise<void> | undefined {
    const lane = this.#laneAt(name);
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
    this.#laneAt(laneOf(caller)).restsUntil = performance.now() + pause;
    this.#schedule();
  }

  /** From now on the request only waits, or is sent as fast as it is read, so other requests of its caller may begin. */
  release(request: object): void {
    for (const release of this.#releases.get(request) ?? []) release();
  }

  #laneAt(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined)
      this.#lanes.set(name, (lane = { underWay: 0, entered: 0, waiting: [], usedMs: 0, arrived: [], restsUntil: 0, waking: false }));
    return lane;
  }

  #isFree(lane: Lane): boolean {
    return lane.arrived.length === 0 && this.#hasTime(lane) && !isResting(lane);
  }

  #hasTime({ usedMs }: Lane): boolean {
    return usedMs * this.#following < this.#limits.turnMs;
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
    const now = performance.now();
    if (this.#turnUsedMs > 0) this.#following = Math.min(MOST_FOLLOWING, (now - this.#turnBegan) / this.#turnUsedMs);
    this.#turnUsedMs = 0;
    for (const [name, lane] of this.#lanes) {
      const pause = this.#limits.pauseFor(lane.usedMs * this.#following);
      if (pause > 0) lane.restsUntil = Math.max(lane.restsUntil, now + pause);
      lane.usedMs = 0;
      lane.entered = 0;
      if (lane.restsUntil > now) this.#wake(lane, lane.restsUntil - now);
      else this.#goOn(name, lane);
    }
  }

  #goOn(name: string, lane: Lane): void {
    while (lane.waiting.length > 0 && this.#mayEnter(lane)) lane.waiting.shift()?.();
    while (lane.arrived.length > 0 && this.#hasTime(lane)) lane.arrived.shift()?.();
    if (lane.arrived.length === 0) this.#calm(name);
    if (lane.arrived.length > 0 || lane.usedMs > 0 || lane.entered > 0) this.#schedule();
    else if (lane.underWay === 0 && lane.waiting.length === 0) this.#lanes.delete(name);
  }

  /** What is timed inside of this counts once. */
  #timed(lane: Lane, handle: () => void): void {
    const [laneMs, turnMs] = [lane.usedMs, this.#turnUsedMs];
    const began = performance.now();
    if (turnMs === 0) this.#turnBegan = began;
    handle();
    const ms = performance.now() - began;
    lane.usedMs = laneMs + ms;
    this.#turnUsedMs = turnMs + ms;
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
