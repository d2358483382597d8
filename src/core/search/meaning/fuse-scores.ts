// One score from two: the lexical similarity of two texts, and the similarity of their meanings.
import type { Meaning } from "./embedder.ts";

/** The share of the meaning in the score of an English text. Words say more than the meaning if both are known. */
const SHARE = 0.3;
/** The most that the meaning alone can count for, if two texts have no word in common. */
const ALONE = 0.45;
/** Unrelated texts have a cosine below this: here a common meaning begins. */
const STRANGE = 0.2;
/** Up to KNOWN pieces per word the table knows the language well; above UNKNOWN it does not know it. */
const KNOWN = 1.2;
const UNKNOWN = 1.6;

/** The meaning of a query text, kept with the query so that all its pages have the same scores. */
export interface AskedMeaning {
  readonly vector: readonly number[];
  /** 0 to 1: how reliable the table is for this text. */
  readonly trusted: number;
}

/** 0 to 1: how reliable the table is for a text. All unknown pieces have one row, so they would be similar to each other. */
export function trust({ piecesPerWord, knownShare }: Pick<Meaning, "piecesPerWord" | "knownShare">): number {
  return piecesPerWord === 0 ? 0 : knownShare * Math.min(1, Math.max(0, (UNKNOWN - piecesPerWord) / (UNKNOWN - KNOWN)));
}

/**
 * 0 to 1, from a pair of texts alone, so that a list and the live stream agree. `trusted` is the trust in the query text: if it is 0, the
 * score is the lexical one.
 */
export function fused(lexical: number, cosine: number, trusted: number): number {
  const common = Math.max(0, (cosine - STRANGE) / (1 - STRANGE));
  const share = SHARE * trusted;
  const score = Math.max((1 - share) * lexical + share * common, ALONE * trusted * common);
  // Six digits, like the lexical score, so that the same text scores exactly 1.
  return Math.round(score * 1e6) / 1e6;
}
