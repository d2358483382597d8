// How much work a post needs: more when the board is busy, less when it is calm, and never a surprise.
import { LIMITS } from "../../core/protocol/limits.ts";
import { minuteOf } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PostsByBits } from "../../ports/wakeup.ts";
import { tokensFor } from "../limits/work-discount.ts";

/** What an alias operation needs on top of a message. */
export const ALIAS_EXTRA_BITS = 3;

/** What proof of work is worth: bits that a post should bring, and those with which it is accepted. */
export interface WorkTerms {
  readonly required: number;
  readonly honoured: number;
}

/** What an acknowledgement needs less than a message. */
const ACK_FEWER_BITS = 6;
export const ackBits = (bits: number): number => Math.max(0, bits - ACK_FEWER_BITS);
/** What a key operation needs on top of the least that a message ever needs. */
export const KEY_EXTRA_BITS = 3;

const CALM_MINUTES = 3;
const QUOTE_MINUTES = LIMITS.pow_quote_s / 60;

export class Difficulty {
  #min: number;
  #max: number;
  readonly #clock: Clock;
  readonly #target: number;
  #minute: number;
  #accepted = 0;
  #calm = 0;
  #bits: number;
  /** The bits in force in each of the last minutes, newest last: any of them may have been quoted. */
  #quoted: number[];

  constructor(clock: Clock, min: number, max: number, target: number = LIMITS.pow_target_per_minute) {
    this.#min = min;
    this.#max = max;
    this.#clock = clock;
    this.#target = target;
    this.#bits = min;
    this.#quoted = [min];
    this.#minute = minuteOf(clock.now());
  }

  get min(): number {
    return this.#min;
  }
  get max(): number {
    return this.#max;
  }

  /** Other bounds from now on; what was quoted before is honoured all the same, unless less than `min` is refused at once. */
  setBounds(min: number, max: number, atOnce = false): void {
    this.#move(min, max);
    if (atOnce) this.#quoted = this.#quoted.map((bits) => Math.max(bits, min));
  }

  #move(min: number, max: number): void {
    if (min === this.#min && max === this.#max) return;
    this.#roll();
    // As far above the least as the load has brought it.
    this.#bits = Math.min(min + this.#bits - this.#min, max);
    this.#min = min;
    this.#max = max;
    this.#quoted = [...this.#quoted.slice(0, -1), Math.min(this.#quoted.at(-1) ?? this.#bits, this.#bits)];
  }

  /** What a new post should aim at. */
  get required(): number {
    this.#roll();
    return this.#bits;
  }

  /** What is taken: the least that was quoted in the last ten minutes. */
  get honoured(): number {
    this.#roll();
    return Math.min(...this.#quoted);
  }

  /** Both, as they are at this moment. */
  get terms(): WorkTerms {
    return { required: this.required, honoured: this.honoured };
  }

  /** Counts a post, or several, by what each takes of its address's writes: that is the answer. */
  accepted(bits: number, posts = 1, required = this.required): number {
    const tokens = tokensFor(bits - required);
    this.#accepted += posts * tokens;
    return tokens;
  }

  /** Comes to the bits that follow from what was accepted in each minute from `from` on; what was quoted is honoured all the same. */
  replay(from: number, posts: ReadonlyMap<number, PostsByBits>): void {
    this.#roll();
    const quoted = this.#quoted;
    this.#bits = this.#min;
    this.#calm = 0;
    this.#quoted = [this.#min];
    for (let minute = from; minute < this.#minute; minute++) {
      this.#accepted = this.#tokensOf(posts.get(minute));
      this.#step();
    }
    this.#accepted = this.#tokensOf(posts.get(this.#minute));
    this.#quoted = this.#quoted.map((bits, i, all) => Math.min(bits, quoted.at(i - all.length) ?? bits));
  }

  /** What posts took in a minute in which the bits of now were required. */
  #tokensOf(posts: PostsByBits = new Map()): number {
    let tokens = 0;
    for (const [bits, count] of posts) tokens += count * tokensFor(bits - this.#bits);
    return tokens;
  }

  /** Once a minute: one bit up after a busy minute, one down after three calm ones. */
  #roll(): void {
    const minute = minuteOf(this.#clock.now());
    // Beyond the quote window and the way back to the minimum, further idle minutes change nothing.
    const steps = Math.min(minute - this.#minute, QUOTE_MINUTES + CALM_MINUTES * (this.#max - this.#min + 1));
    for (let i = 0; i < steps; i++) this.#step();
    if (minute !== this.#minute) this.#minute = minute;
  }

  #step(): void {
    if (this.#accepted > this.#target) {
      this.#calm = 0;
      this.#bits = Math.min(this.#max, this.#bits + 1);
    } else if (++this.#calm >= CALM_MINUTES) {
      this.#calm = 0;
      this.#bits = Math.max(this.#min, this.#bits - 1);
    }
    this.#accepted = 0;
    this.#quoted = [...this.#quoted, this.#bits].slice(-(QUOTE_MINUTES + 1));
  }
}
