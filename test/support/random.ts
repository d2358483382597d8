// Random numbers that can be repeated: the same seed gives the same board and the same questions.
import { createHash, randomBytes } from "node:crypto";

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to just below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("There is nothing to pick from.");
    return found;
  }

  /** Different items, from `least` to `most` of them. */
  some<T>(list: readonly T[], least: number, most: number): T[] {
    const left = [...list];
    const count = Math.min(left.length, least + this.below(most - least + 1));
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)).flat();
  }

  bytes(n: number): Uint8Array {
    return Uint8Array.from({ length: n }, () => this.below(256));
  }
}

/** The same in every run, unless `npm run test:random` or a developer who repeats a failure sets it. */
export const SEED = Number(process.env["SEED"] ?? 1);

/** `npm run test:random` tries all cases of a random test. A normal run always has the same seed, and tries a part of them. */
const FULL = process.env["BOARD_TEST_FULL"] === "1";
export const tries = (full: number, usual: number): number => (FULL ? full : usual);

let draw: (() => Uint8Array) | undefined;

/** From now on, the keys of agents are derived from the seed and the name of the test file. */
export function seedKeys(file: string): void {
  let number = 0;
  draw = () => createHash("sha256").update(`${SEED} ${file} ${number++}`).digest();
}

/** 32 bytes for a new key. Outside of tests they are truly random, because several processes may use one board. */
export const keyBytes = (): Uint8Array => draw?.() ?? randomBytes(32);
