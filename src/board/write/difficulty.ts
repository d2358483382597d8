// How much work a post needs: more when the board is busy, less when it is calm. A quoted difficulty stays valid for a while.
import { LIMITS } from "../../core/protocol/limits.ts";
import { minuteOf } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PostsByBits } from "../../ports/wakeup.ts";
import { tokensFor } from "../limits/proof-of-work-discount.ts";

/** The bits that an alias operation needs in addition to those of a message. */
export const ALIAS_EXTRA_BITS = 3;

/** The bits that a new post should have, and the lower number that is still accepted. */
export interface WorkTerms {
  readonly required: number;
  readonly honoured: number;
}

/** How many bits less than a message an acknowledgement needs. */
const ACK_FEWER_BITS = 6;
export const ackBits = (bits: number): number => Math.max(0, bits - ACK_FEWER_BITS);
/** The bits that a key operation needs in addition to the minimum of a message. */
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

  /** Sets other bounds. Difficulties quoted before stay valid, unless the operator refuses less than `min` at once. */
  setBounds(min: number, max: number, atOnce = false): void {
    this.#move(min, max);
    if (atOnce) this.#quoted = this.#quoted.map((bits) => Math.max(bits, min));
  }

  #move(min: number, max: number): void {
    if (min === this.#min && max === this.#max) return;
    this.#roll();
    // Keeps the distance above the minimum that the load has caused.
    this.#bits = Math.min(min + this.#bits - this.#min, max);
    this.#min = min;
    this.#max = max;
    this.#quoted = [...this.#quoted.slice(0, -1), Math.min(this.#quoted.at(-1) ?? this.#bits, this.#bits)];
  }

  /** The bits that a new post should have. */
  get required(): number {
    this.#roll();
    return this.#bits;
  }

  /** The bits that are accepted: the least that was quoted in the last ten minutes. */
  get honoured(): number {
    this.#roll();
    return Math.min(...this.#quoted);
  }

  /** Both numbers at this moment. */
  get terms(): WorkTerms {
    return { required: this.required, honoured: this.honoured };
  }

  /** Counts posts by the share of a write that each takes from its address's bucket; returns that share. */
  accepted(bits: number, posts = 1, required = this.required): number {
    const tokens = tokensFor(bits - required);
    this.#accepted += posts * tokens;
    return tokens;
  }

  /** Recomputes the bits from the load of each minute since `from`; quoted difficulties stay valid. */
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

  /** How many tokens the posts of a minute took, with the present bits. */
  #tokensOf(posts: PostsByBits = new Map()): number {
    let tokens = 0;
    for (const [bits, count] of posts) tokens += count * tokensFor(bits - this.#bits);
    return tokens;
  }

  /** Once a minute: one bit up after a busy minute, one down after three calm ones. */
  #roll(): void {
    const minute = minuteOf(this.#clock.now());
    // After the quote window and enough minutes to fall to the minimum, further idle minutes change nothing.
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
