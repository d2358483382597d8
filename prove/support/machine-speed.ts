// Whether the machine itself is slower at times, because its host gives it less: the same small computation is measured again and again.
import { waitedMs } from "./waited-for-core.ts";

const LOOK_EVERY_MS = 20;
const STEPS = 200_000;
/** Two threads of one core slow each other down, by less than this. */
const SLOWER = 2;
/** The fastest tenth of all measurements tells how fast the machine is when nothing disturbs it. */
const FASTEST = 10;

const fastest: number[] = [];
let result = 0;

/** Milliseconds, without those in which another thread had the core; undefined if one had it in between. */
function measured(): number | undefined {
  const [waited, began] = [waitedMs(), performance.now()];
  for (let i = 0; i < STEPS; i++) result = (result * 31 + i) | 0;
  const ms = performance.now() - began;
  return waitedMs() === waited ? ms : undefined;
}

export class MachineSpeed implements Disposable {
  readonly #took: number[] = [];
  readonly #timer = setInterval(() => {
    const ms = measured();
    if (ms === undefined) return;
    this.#took.push(ms);
    fastest.push(ms);
  }, LOOK_EVERY_MS);

  /** In which share of the time the machine had less than half of its speed. */
  slowShare(): number {
    const usual = fastest.toSorted((a, b) => a - b)[Math.floor(fastest.length / FASTEST)] ?? Infinity;
    return this.#took.length === 0 ? 0 : this.#took.filter((ms) => ms > SLOWER * usual).length / this.#took.length;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
