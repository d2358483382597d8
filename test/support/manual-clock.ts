// A clock that tests move; callbacks are called when their time is reached.
import type { Clock } from "../../src/ports/clock.ts";

export class ManualClock implements Clock {
  #now: number;
  #timers: { at: number; callback: () => void }[] = [];

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  at(unixMs: number, callback: () => void): () => void {
    if (unixMs <= this.#now) {
      const soon = setImmediate(callback);
      return () => clearImmediate(soon);
    }
    const timer = { at: unixMs, callback };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((one) => one !== timer));
  }

  /** Moves time forward and calls everything that becomes due, in order. */
  advance(ms: number): void {
    this.set(this.#now + ms);
  }

  /** Also backwards, because real clocks sometimes do that. */
  set(now: number): void {
    this.#now = now;
    const due = this.#timers.filter((one) => one.at <= now).sort((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter((one) => one.at > now);
    for (const one of due) one.callback();
  }
}
