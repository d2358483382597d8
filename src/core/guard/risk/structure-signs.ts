// Language-independent signs in the structure of a text: its length, its characters, repetitions, and names of speakers.
import {
  BRACKET,
  CAPITAL,
  COLON,
  DIGIT,
  DOT,
  EXCLAMATION,
  LEET,
  LINE,
  MARK,
  OTHER,
  type PlainText,
  QUESTION,
  QUOTE,
  SMALL,
} from "./normalized-text.ts";

/** Words before a colon in texts that imitate a dialogue. */
const TURNS = new Set("q a f r p в о 问 答 प्रश्न उत्तर question answer frage antwort pregunta respuesta".split(" "));
/** Names of speakers in prompts for models. */
const ROLES = new Set(["system", "user", "assistant", "human", "ai", "developer", "admin", "instruction", "instructions"]);
const ROLE_MARK = /\[inst\]|<\||###/;
/** Sentences in Morse code, in escapes or in base64. */
const DOTS = /(?:[.\-·•–]{1,6}[ /]{1,3}){6}/;
const ESCAPE = /\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#\d{2,5};/;
const BASE64 = /[A-Za-z0-9+/]{15,200}=/;
const TAG = /<\/?[a-z][^<>]{0,80}>/g;

/** The number of signs, in the order in which `writeSigns` writes them. */
export const SIGN_COUNT = 21;

/** `text` is the text as written. Each sign is from 0 to 1; every repetition in a pattern is bounded. */
export function writeSigns(text: string, plain: PlainText, into: Float32Array): void {
  const { counts } = plain;
  const latin = counts[SMALL]! + counts[CAPITAL]!;
  const letters = Math.max(1, latin + counts[OTHER]!);
  const marked = plain.mayHave(MARK);
  let at = 0;
  const write = (count: number, most = 1): void => void (into[at++] = Math.min(1, count / most));
  write(text.length, 100);
  write(text.length, 400);
  write(text.length, 2000);
  write(counts[QUESTION]!);
  write(counts[QUESTION]!, 4);
  write(counts[EXCLAMATION]!, 3);
  write(asks(plain.codes[plain.length - 1]) || asks(plain.codes[plain.length - 2]) ? 1 : 0);
  write(counts[QUOTE]!, 2);
  write(counts[QUOTE]!, 8);
  write(counts[LINE]!, 6);
  write(counts[BRACKET]!, 6);
  write(latin === 0 ? 0 : (3 * counts[CAPITAL]!) / latin);
  write(counts[DIGIT]!, 20);
  write(counts[LEET]!, 8);
  write(marked && plain.text.includes("<") ? found(plain.text, TAG, 4) : 0, 4);
  const { links, turns, roles } = colonsIn(plain);
  write(links);
  write(turns, 4);
  write(roles > 0 || (marked && ROLE_MARK.test(plain.text)) ? 1 : 0);
  write(plain.mayHave(DOT, 6) && DOTS.test(text) ? 1 : 0);
  const numbers = counts[DIGIT]! > 1 && (hasNumbers(plain) || (marked && ESCAPE.test(plain.text)));
  write(numbers || (text.includes("=") && BASE64.test(text)) ? 1 : 0);
  write((2 * Math.min(latin, counts[OTHER]!)) / letters);
}

const asks = (code: number | undefined): boolean => code === 0x3f || code === 0x61f;

/** Counts links, words before a colon that name a turn of a dialogue, and words before a colon that name a speaker in a prompt. */
function colonsIn(plain: PlainText): { readonly links: number; readonly turns: number; readonly roles: number } {
  let links = 0;
  let turns = 0;
  let roles = 0;
  if (!plain.mayHave(COLON)) return { links, turns, roles };
  const { codes, length } = plain;
  for (let at = 0; at < length; at++) {
    if (codes[at] !== CODES.colon) continue;
    if (at + 2 < length && codes[at + 1] === CODES.slash && codes[at + 2] === CODES.slash) links++;
    if (turns + roles === MOST_SPEAKERS) continue;
    const name = wordBefore(plain, at);
    if (TURNS.has(name)) turns++;
    else if (ROLES.has(name)) roles++;
  }
  return { links, turns, roles };
}
const MOST_SPEAKERS = 8;
/** The longest name of a speaker, with the blank after it. */
const LONGEST_SPEAKER = 14;
const CODES = { blank: 0x20, slash: 0x2f, colon: 0x3a, zero: 0x30, one: 0x31 } as const;

function wordBefore({ codes }: PlainText, colon: number): string {
  const least = Math.max(0, colon - LONGEST_SPEAKER);
  const end = colon > 0 && codes[colon - 1] === CODES.blank ? colon - 1 : colon;
  let start = end;
  while (start > least && codes[start - 1] !== CODES.blank) start--;
  return String.fromCharCode(...codes.subarray(start, end));
}

/** Letters written as numbers: six pairs of hex digits in a row, or three groups of seven or eight bits. */
function hasNumbers({ codes, length }: PlainText): boolean {
  let pairs = 0;
  let bytes = 0;
  let before = -1;
  for (let at = 0; at < length; at++) {
    if (codes[at] !== CODES.blank) continue;
    const width = at - before - 1;
    const hex = width >= 2 && isHex(codes[at - 1]!) && isHex(codes[at - 2]!);
    // The first group of a row may follow any character.
    pairs = hex ? (width === 2 ? pairs + 1 : 1) : 0;
    let bits = 0;
    while (bits < width && (codes[at - bits - 1] === CODES.zero || codes[at - bits - 1] === CODES.one)) bits++;
    bytes = bits < 7 ? 0 : bits === width && width <= 8 ? bytes + 1 : 1;
    if (pairs === 6 || bytes === 3) return true;
    before = at;
  }
  return false;
}
const isHex = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 97 && code <= 102);

function found(text: string, pattern: RegExp, most: number): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count === most) break;
  return count;
}
