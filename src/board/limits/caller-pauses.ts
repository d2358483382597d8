// How long callers pause after long work for them, by the machine's own clock, so that others get the same time.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { countedAs, MAX_CALLERS } from "./callers.ts";

/** Concurrent requests of one address. */
const AT_ONCE = 2;
/** Work that takes less processor time causes no pause. */
const SHORT_MS = 2;
/** How long the data of one address is processed in one turn of the event loop. */
const TURN_MS = 4;

export interface TurnLimits {
  /** Concurrent requests of one caller. */
  readonly atOnce: number;
  /** Requests of one caller that begin in one turn of the event loop. */
  readonly perTurn: number;
  /** How long data of one caller is processed in one turn. */
  readonly turnMs: number;
  /** How long no other request of a caller may begin after this much work for it. */
  readonly pauseFor: (usedMs: number) => number;
}

interface PauseOptions {
  /** If not, nobody pauses. */
  readonly on: boolean;
  /** A factor for the usual limits. */
  readonly width: number;
  /** The rest that keeps a caller, under one of its names, at its rate for reads: so many times the processor time that was used. */
  readonly restFor: (counted: string) => number;
}

export class CallerPauses {
  readonly #on: boolean;
  readonly #width: number;
  readonly #restFor: PauseOptions["restFor"];
  /** Until when the running answers of each caller, and of each wider network, pause. */
  readonly #pacedUntil = new BoundedCache<string, number>(MAX_CALLERS);
  /** When the pause of each caller between its slices ends. */
  readonly #pausedUntil = new BoundedCache<string, number>(MAX_CALLERS);

  constructor({ on, width, restFor }: PauseOptions) {
    this.#on = on;
    this.#width = width;
    this.#restFor = restFor;
  }

  /** How much of one caller runs at once, if that is limited. */
  get turns(): TurnLimits | undefined {
    return this.#on
      ? { atOnce: AT_ONCE * this.#width, perTurn: this.#width, turnMs: TURN_MS * this.#width, pauseFor: (ms) => this.pauseFor(ms) }
      : undefined;
  }

  /**
   * How long a caller has to pause after its running answers have used this much processor time. The pause keeps it at the rate of its
   * bucket for reads.
   */
  pace(caller: string, usedMs: number): number {
    if (!this.#on) return 0;
    const now = performance.now();
    return Math.max(...countedAs(caller).map((counted) => extended(this.#pacedUntil, counted, now, usedMs * this.#restFor(counted)))) - now;
  }

  /** Like `pauseFor`, for one of several requests of a caller: they pause one after the other, so that together they get no more than one. */
  pause(caller: string, usedMs: number): number {
    const ms = this.pauseFor(usedMs);
    const now = performance.now();
    return ms === 0 ? 0 : extended(this.#pausedUntil, caller, now, ms) - now;
  }

  /** How long a caller has to pause after this much work for it, so that others get the same time. */
  pauseFor(usedMs: number): number {
    return this.#on && usedMs >= SHORT_MS * this.#width ? usedMs / this.#width : 0;
  }
}

/** Adds a pause after those that a caller still has to make, and returns when it ends. */
function extended(untils: BoundedCache<string, number>, caller: string, now: number, ms: number): number {
  const until = Math.max(untils.get(caller) ?? 0, now) + ms;
  untils.set(caller, until);
  return until;
}
