// The board's own tokenizer: from a text to its words, in order.
import { fold, isAscii } from "./fold.ts";
import { stem } from "./stem.ts";

/** Longer words are cut, so that no text can make a huge term. */
const WORD_CHARS = 64;

/**
 * A run is letters, digits and their marks; c++ and c# are words, and so is an emoji or a flag. Everything else separates words: foo_bar,
 * node.js and foo-bar are two words each, and a phrase in a query.
 */
const ASCII_RUN = /[a-z0-9]+(?:(?=[+#])(?<=(?<![a-z0-9])[a-z])(?:\+\+|#)(?![a-z0-9]))?/g;
const RUN =
  /[\p{L}\p{N}\p{M}]+(?:(?=[+#])(?<=(?<![\p{L}\p{N}\p{M}])[a-z])(?:\+\+|#)(?![\p{L}\p{N}]))?|\p{RI}\p{RI}|(?!\p{ASCII})\p{Extended_Pictographic}/gu;
/**
 * The apostrophe of dog's is dropped with its s. The apostrophe of don't and O'Brien is dropped, which joins the letters. Any other
 * apostrophe separates words, as in l'eau.
 */
const APOSTROPHE = /'(?:(?<=\p{L}')s(?![\p{L}\p{N}])|(?<=n')(?=t(?![\p{L}\p{N}]))|(?<=(?<![\p{L}\p{N}])o')(?=\p{L}))/gu;

const NO_SPACES = ["Han", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr"].map((script) => `\\p{scx=${script}}`).join("");
const UNSPACED = new RegExp(`[${NO_SPACES}]`, "u");
const PART = new RegExp(`[${NO_SPACES}]+|[^${NO_SPACES}]+`, "gu");

const PLACES = 65_536;
const MAX_CACHED_CHARS = 12;

/** Splits runs into unstemmed words: one each, except in scripts that are written without spaces. */
export class WordSplitter {
  /** Made for the first text that needs it: the first one of a process takes longer than starting the rest of the search. */
  #dictionary: Intl.Segmenter | undefined = undefined;

  split(run: string): string[] {
    if (!UNSPACED.test(run)) return [cut(run)];
    const out: string[] = [];
    for (const part of run.match(PART) ?? []) {
      if (!UNSPACED.test(part)) out.push(cut(part));
      else for (const { segment } of this.#segments(part)) out.push(cut(segment));
    }
    return out;
  }

  #segments(part: string): Intl.Segments {
    this.#dictionary ??= new Intl.Segmenter("en", { granularity: "word" });
    return this.#dictionary.segment(part);
  }
}

/**
 * Recent words and their stems, each in the slot of its hash; a later word replaces an earlier one. A Map would first look each word up
 * among all strings of the process. Only short words: a longer slice would keep the whole text in memory that it was cut from.
 */
export class StemCache {
  readonly splitter = new WordSplitter();
  readonly #words = Array<string>(PLACES).fill("");
  readonly #stems = Array<string>(PLACES).fill("");

  /** Undefined if the word is not of a kind that is cached. */
  stem(word: string): string | undefined {
    const place = word.length > MAX_CACHED_CHARS ? -1 : placeOf(word);
    if (place < 0) return undefined;
    if (this.#words[place] === word) return this.#stems[place];
    this.#words[place] = word;
    return (this.#stems[place] = stem(word));
  }
}

export function words(text: string, stems?: StemCache): string[] {
  return wordsOf(foldedRuns(text), stems);
}

/** The folded runs of a text, in order, before they are split by a dictionary and stemmed. */
export function foldedRuns(text: string): string[] {
  let folded = fold(text);
  if (folded.includes("'")) folded = folded.replace(APOSTROPHE, "");
  return folded.match(isAscii(folded) ? ASCII_RUN : RUN) ?? [];
}

export function wordsOf(found: readonly string[], stems?: StemCache, splitter = stems?.splitter ?? new WordSplitter()): string[] {
  const out: string[] = [];
  for (const run of found) {
    const cached = stems?.stem(run);
    if (cached !== undefined) out.push(cached);
    else for (const part of splitter.split(run)) out.push(/^[a-z]+$/.test(part) ? stem(part) : part);
  }
  return out;
}

/** -1 if the word has other characters than a to z, because such a word is its own stem. */
function placeOf(word: string): number {
  let sum = 0;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 97 || code > 122) return -1;
    sum = (Math.imul(sum, 31) + code) | 0;
  }
  return (sum ^ (sum >>> 16)) & (PLACES - 1);
}

function cut(word: string): string {
  if (word.length <= WORD_CHARS) return word;
  const end = (word.codePointAt(WORD_CHARS - 1) ?? 0) > 0xffff ? WORD_CHARS - 1 : WORD_CHARS;
  return word.slice(0, end);
}
