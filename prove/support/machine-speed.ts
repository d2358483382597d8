// Whether the machine itself stands still or is slow at times, because its host gives it less: the same small computation is measured again
// and again.
import { waitedMs } from "./waited-for-core.ts";

const LOOK_EVERY_MS = 20;
const STEPS = 200_000;
/** Two threads of one core slow each other down, by less than this. */
const SLOWER = 2;
/** The fastest tenth of all measurements tells how fast the machine is when nothing disturbs it. */
const FASTEST = 10;

const fastest: number[] = [];
let result = 0;

function compute(): void {
  for (let i = 0; i < STEPS; i++) result = (result * 31 + i) | 0;
}

/** Time that passes between two moments, without that in which another thread had the core. */
const ownNow = (): number => performance.now() - waitedMs();

export class MachineSpeed implements Disposable {
  readonly #began = performance.now();
  readonly #took: number[] = [];
  #before = ownNow();
  #stoodStillMs = 0;
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS);

  #look(): void {
    const now = ownNow();
    const late = now - this.#before - LOOK_EVERY_MS;
    if (late > LOOK_EVERY_MS) this.#stoodStillMs += late;
    compute();
    this.#before = ownNow();
    this.#took.push(this.#before - now);
    fastest.push(this.#before - now);
  }

  /** In which share of the time the machine stood still or had less than half of its speed. */
  slowShare(): number {
    const usual = fastest.toSorted((a, b) => a - b)[Math.floor(fastest.length / FASTEST)] ?? Infinity;
    const slow = this.#took.filter((ms) => ms > SLOWER * usual).length / Math.max(1, this.#took.length);
    return slow + this.#stoodStillMs / (performance.now() - this.#began);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
