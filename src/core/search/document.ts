// A message as search sees it: the words it is found by and the grams it is compared by.
import type { Payload } from "../protocol/payload.ts";
import { runs, words, wordsOf } from "./words.ts";

export interface Document {
  readonly title: readonly string[];
  /** Words of the body, of each tag and of each string in `data`; "" between them is a gap that no phrase crosses and no term. */
  readonly body: readonly string[];
  /** Distinct character grams; each starts with GRAM, which no word does, so that both fit one dictionary. */
  readonly grams: readonly string[];
}

/** The first character of every gram term. Words are letters, digits and emoji, so none starts with it. */
export const GRAM = "~";
/** The first seventy words or so: what a text is about stands at its beginning, and recall is no better with more. */
const GRAMS = 256;
/** From here on a character is a syllable or a whole word (CJK, kana, Hangul), and two tell as much as three letters do. */
const WIDE = 0x2e80;

export function documentOf(payload: Payload): Document {
  const title = runs(payload.title ?? "");
  const text = runs(payload.body ?? "");
  const body = wordsOf(text);
  const add = (piece: string): void => {
    body.push("");
    for (const word of words(piece)) body.push(word);
  };
  for (const tag of payload.tags ?? []) add(tag);
  if (payload.data !== undefined) eachString(payload.data, add);
  return { title: wordsOf(title), body, grams: grams(title, text) };
}

/** A bare text, such as the value of `near`, as if it were the body of a message. */
export function documentOfText(text: string): Document {
  const found = runs(text);
  return { title: [], body: wordsOf(found), grams: grams([], found) };
}

/** Depth first, in the order written. `data` is bounded in size and depth where the payload is checked. */
function eachString(value: unknown, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) eachString(item, visit);
}

/** One for each gram, so that a text's own are told apart without hashing them again. */
interface Gram {
  readonly term: string;
  /** The number of the last text it was found in. */
  text: number;
}

/** Grams of words seen lately: most words of a text are common ones. Only short ones, see STEMS in words.ts. */
const KEPT = new Map<string, readonly Gram[]>();
const KEPT_WORDS = 16_384;
const KEPT_CHARS = 12;
const TABLE = new Map<string, Gram>();
const TABLE_GRAMS = 65_536;
let texts = 0;

/** The first grams of the runs, each once. */
function grams(...of: readonly (readonly string[])[]): string[] {
  if (KEPT.size >= KEPT_WORDS || TABLE.size >= TABLE_GRAMS) {
    KEPT.clear();
    TABLE.clear();
  }
  texts++;
  const out: string[] = [];
  for (const found of of) {
    for (const run of found) {
      for (const gram of gramsOf(run)) {
        if (gram.text === texts) continue;
        gram.text = texts;
        if (out.push(gram.term) === GRAMS) return out;
      }
    }
  }
  return out;
}

function gramsOf(run: string): readonly Gram[] {
  const known = KEPT.get(run);
  if (known !== undefined) return known;
  const made = cutGrams(run).map(gramOf);
  if (run.length <= KEPT_CHARS) KEPT.set(run, made);
  return made;
}

function gramOf(term: string): Gram {
  let gram = TABLE.get(term);
  if (gram === undefined) TABLE.set(term, (gram = { term, text: 0 }));
  return gram;
}

/** Trigrams of a run with a space at both ends; bigrams where characters are wide. */
function cutGrams(run: string): string[] {
  const padded = ` ${run} `;
  const out: string[] = [];
  let at = 0;
  for (let second = after(padded, at); second < padded.length && out.length < GRAMS; second = after(padded, at)) {
    const wide = padded.charCodeAt(at) >= WIDE || padded.charCodeAt(second) >= WIDE;
    const third = after(padded, second);
    const end = wide ? third : after(padded, third);
    if (end <= padded.length) out.push(GRAM + padded.slice(at, end));
    at = second;
  }
  return out;
}

/** Where the next character begins; a surrogate pair is one character. */
const after = (text: string, at: number): number => at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
