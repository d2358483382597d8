// The terms that `pre*` matches, given that the index contains stems only.
import { stem } from "./stem.ts";

/** Every term that starts with `start`, and these other terms. */
export interface PrefixForms {
  readonly start: string;
  readonly terms: readonly string[];
}

/** English endings, with their longest forms: a prefix may end inside one of them. */
const ENDINGS = (
  "s es ed ing ly y e ies ied edly ingly ational tional ency ancy ably ently izer ization ation ator alism ality ally fulness ously " +
  "ousness iveness ivity bility bly ogy fully lessly alize icate icity ical ful ness ative al ance ence er ic able ible ant ement ment " +
  "ent ism ate ity ous ive ize ion"
).split(" ");

/**
 * The rule: `p*` matches a term that starts with p, every term that the word p matches, and the stem of p followed by (the beginning of) an
 * English ending. So `runn*` and `running*` find "running" (stem run), and `universi*` finds "universities" (stem univers). `word` is
 * folded and not stemmed.
 */
export function prefixForms(word: string): PrefixForms {
  if (!/^[a-z]{2,}$/.test(word)) return { start: word, terms: [] };
  const terms = new Set([stem(word)]);
  for (const ending of ENDINGS) {
    for (let begun = 0; begun < ending.length; begun++) {
      if (word.endsWith(ending.slice(0, begun))) terms.add(stem(word + ending.slice(begun)));
    }
  }
  return { start: word, terms: [...terms].filter((term) => !term.startsWith(word)) };
}

export function isPrefixOf({ start, terms }: PrefixForms, term: string): boolean {
  return term.startsWith(start) || terms.includes(term);
}
