// The score of a document for a word, after BM25F: the title counts more than the body, and in longer texts each occurrence counts less.
import type { Documents, MeanLengths } from "./index-part.ts";

const TITLE_WEIGHT = 3;
const SATURATION = 1.2;
/** How much the length of a text lowers its score. */
const TITLE_LENGTH = 0.3;
const BODY_LENGTH = 0.6;

export class Bm25f {
  readonly means: MeanLengths;
  readonly #perTitleWord: number;
  readonly #perBodyWord: number;

  constructor({ title, body }: MeanLengths) {
    this.means = { title: Math.max(1, title), body: Math.max(1, body) };
    this.#perTitleWord = TITLE_LENGTH / this.means.title;
    this.#perBodyWord = BODY_LENGTH / this.means.body;
  }

  /** The score for this many occurrences in the title and the body of a document. */
  of({ titleLengths, bodyLengths }: Documents, doc: number, titles: number, bodies: number): number {
    const score = bodies / (1 - BODY_LENGTH + this.#perBodyWord * bodyLengths[doc]!);
    if (titles === 0) return score;
    return score + (TITLE_WEIGHT * titles) / (1 - TITLE_LENGTH + this.#perTitleWord * titleLengths[doc]!);
  }

  /**
   * A score with these mean lengths is at most this many times the score with the other ones. If texts are longer on average, a given text
   * is relatively shorter, but by no more than the ratio of the means. 1e-6 allows for sums in another order.
   */
  timesMost(other: MeanLengths): number {
    return Math.max(1, this.means.title / other.title, this.means.body / other.body) * (1 + 1e-6);
  }
}

/** Each repetition counts less: 0 to below 1. */
export const saturated = (weight: number, score: number): number => (weight * score) / (SATURATION + score);
