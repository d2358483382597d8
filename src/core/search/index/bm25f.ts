// What a document earns by a word, after BM25F: the title counts more than the body, and longer texts get less for each time.
import type { Documents, Means } from "./part.ts";

const TITLE_WEIGHT = 3;
const SATURATION = 1.2;
/** How much longer texts are held against their words. */
const TITLE_LENGTH = 0.3;
const BODY_LENGTH = 0.6;

export class Earnings {
  readonly means: Means;
  readonly #perTitleWord: number;
  readonly #perBodyWord: number;

  constructor({ title, body }: Means) {
    this.means = { title: Math.max(1, title), body: Math.max(1, body) };
    this.#perTitleWord = TITLE_LENGTH / this.means.title;
    this.#perBodyWord = BODY_LENGTH / this.means.body;
  }

  /** By standing so often in the title and the body of a document. */
  of({ titleLengths, bodyLengths }: Documents, doc: number, titles: number, bodies: number): number {
    const earned = bodies / (1 - BODY_LENGTH + this.#perBodyWord * bodyLengths[doc]!);
    if (titles === 0) return earned;
    return earned + (TITLE_WEIGHT * titles) / (1 - TITLE_LENGTH + this.#perTitleWord * titleLengths[doc]!);
  }

  /**
   * At most so many times as much as by other means: where texts are longer on average, a given one is shorter beside them,
   * though by no more than the means differ. The last digits are for sums in another order.
   */
  timesMost(other: Means): number {
    return Math.max(1, this.means.title / other.title, this.means.body / other.body) * (1 + 1e-6);
  }
}

/** Repetition counts ever less: 0 to below 1. */
export const saturated = (weight: number, earned: number): number => (weight * earned) / (SATURATION + earned);
