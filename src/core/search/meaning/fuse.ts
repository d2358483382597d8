// One score from two: what the words of two texts have in common, and what they mean.

/** The share of the meaning in English; where both speak, words tell more. */
const SHARE = 0.3;
/** What the meaning alone may count for: a text that says the same without a word in common has nothing else. */
const ALONE = 0.45;
/** Texts that have nothing to do with each other lie below this cosine: it is where a meaning in common begins. */
const STRANGE = 0.2;
/** Where a word falls apart into more pieces than this, the table does not know the language; up to the first it knows it well. */
const KNOWN = 1.2;
const UNKNOWN = 1.6;

/** The meaning of a text as it is kept with a question, so that all its pages have the same scores. */
export interface AskedMeaning {
  readonly vector: readonly number[];
  /** 0 to 1: how far the table can be believed about this text. */
  readonly trusted: number;
}

/** 0 to 1: how far the table can be believed about a text, by its pieces per word. */
export const trust = (piecesPerWord: number): number => Math.min(1, Math.max(0, (UNKNOWN - piecesPerWord) / (UNKNOWN - KNOWN)));

/**
 * 0 to 1, from a pair of texts alone, so that a list and the live stream agree. `trusted` is the trust in the text that is asked for:
 * without any the score is the lexical one.
 */
export function fused(lexical: number, cosine: number, trusted: number): number {
  const common = Math.max(0, (cosine - STRANGE) / (1 - STRANGE));
  const share = SHARE * trusted;
  const score = Math.max((1 - share) * lexical + share * common, ALONE * trusted * common);
  // Six digits, as the lexical score has them, so that the same text is exactly 1.
  return Math.round(score * 1e6) / 1e6;
}
