// The signature by which near-copies of a text are found: MinHash over runs of its characters, in one pass (one-permutation hashing).
import { fold } from "../../search/fold.ts";
import { unseenIn } from "../hidden.ts";
import { AsciiReader } from "../ascii-reader.ts";
import { allLatin } from "../look-alikes.ts";

/** How many 16-bit numbers a signature has; together they take 64 bytes. */
export const SIGNATURE_LENGTH = 32;
/** The length of a run in characters; one changed character changes as many runs. */
const RUN = 5;
/** Shorter texts have no signature, because many people write them independently, such as `thanks, that works`. */
const LEAST_RUNS = 60;
/** Only this much of a text is read, so that long texts cost little more than others. */
const CHARS = 8192;

const NOT_SAID = /[^\p{L}\p{N}]+/gu;
/** More than any hash, of which 27 bits are kept. */
const EMPTY = 0x7fffffff;
const BLANK = 0x20;
/** Each ASCII character as it is compared: lower-case letters and digits; every other character is a blank. */
const SAID = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(char) ? char.charCodeAt(0) : BLANK;
});

/** Undefined if the text is too short. Case, accents, punctuation, spaces, invisible characters and look-alikes make no difference. */
export function signatureOf(text: string, reader = new SaidText()): Uint16Array | undefined {
  const length = reader.read(text.slice(0, CHARS));
  const { said } = reader;
  if (length < LEAST_RUNS + RUN - 1) return undefined;
  const least = new Int32Array(SIGNATURE_LENGTH).fill(EMPTY);
  // A rolling hash of the last five characters: the new character is added, and afterwards the first one is subtracted.
  let rolled = 0;
  for (let at = 0; at < RUN - 1; at++) rolled = (Math.imul(rolled, BASE) + said[at]!) | 0;
  for (let at = RUN - 1; at < length; at++) {
    rolled = (Math.imul(rolled, BASE) + said[at]!) | 0;
    const hash = mixed(rolled);
    rolled = (rolled - Math.imul(said[at - RUN + 1]!, BASE_OF_FIRST)) | 0;
    const slot = hash & (SIGNATURE_LENGTH - 1);
    // Without a branch, which the processor would often predict wrongly.
    least[slot] = Math.min(hash >>> 5, least[slot]!);
  }
  // Equal runs fill the same slot, so a text that repeats itself may fill too few slots.
  const full = least.reduce((sum, rest) => (rest === EMPTY ? sum : sum + 1), 0);
  return full < SIGNATURE_LENGTH / 2 ? undefined : filled(least);
}

const BASE = 0x01000193;
const BASE_OF_FIRST = Math.imul(Math.imul(BASE, BASE), Math.imul(BASE, BASE));

function mixed(rolled: number): number {
  let hash = Math.imul(rolled ^ (rolled >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The folded characters of a text, valid until the next text is read. */
export class SaidText {
  /** One folded character may become several. */
  readonly said = new Uint16Array(8 * CHARS);
  readonly #ascii = new AsciiReader(CHARS);

  /** Reads the text, with single blanks between words and none at the ends; returns its length. */
  read(text: string): number {
    const ascii = this.#ascii.read(text);
    if (ascii !== undefined) return this.#readAscii(ascii, text.length);
    const { said } = this;
    const folded = allLatin(fold(unseenIn(text).seen))
      .replaceAll(NOT_SAID, " ")
      .trim()
      .slice(0, said.length);
    for (let at = 0; at < folded.length; at++) said[at] = folded.charCodeAt(at);
    return folded.length;
  }

  /** Most texts are ASCII. No folded string is made of those. */
  #readAscii(ascii: Uint8Array, end: number): number {
    const { said } = this;
    let length = 0;
    let before = BLANK;
    for (let at = 0; at < end; at++) {
      const code = SAID[ascii[at]!]!;
      if (code === BLANK && before === BLANK) continue;
      said[length++] = before = code;
    }
    return before === BLANK && length > 0 ? length - 1 : length;
  }
}

/** Fills an empty slot from the next one (densification), so that similar texts stay similar. */
function filled(least: Int32Array): Uint16Array {
  const signature = new Uint16Array(SIGNATURE_LENGTH);
  for (let slot = 0; slot < SIGNATURE_LENGTH; slot++) {
    let away = 0;
    while (least[(slot + away) % SIGNATURE_LENGTH] === EMPTY) away++;
    const number = least[(slot + away) % SIGNATURE_LENGTH]! + Math.imul(away, 0x9e3779b1);
    signature[slot] = number ^ (number >>> 16);
  }
  return signature;
}

/** 0 to 1: about the share of runs that two texts have in common. */
export function resemblance(a: Uint16Array, b: Uint16Array): number {
  let same = 0;
  for (let at = 0; at < SIGNATURE_LENGTH; at++) if (a[at] === b[at]) same++;
  return same / SIGNATURE_LENGTH;
}
