// What near-copies of a text have in common: MinHash over runs of its characters, in one pass (one permutation, cut into slots).
import { fold, isAscii } from "../../search/fold.ts";

/** So many numbers of sixteen bits stand for a text: 64 bytes. */
export const SIGNATURE_LENGTH = 32;
/** Of so many characters; a changed one touches as many runs. */
const RUN = 5;
/** A shorter text is said by many people: `thanks, that works` is nobody's copy. */
const LEAST_RUNS = 60;
/** As far as a text is looked at, so that the longest costs little more than most. */
const CHARS = 8192;

const NOT_SAID = /[^\p{L}\p{N}]+/gu;
const EMPTY = 0xffffffff;
const BLANK = 0x20;
/** What an ASCII character says: a small letter or a digit, and a blank for all others. */
const SAID = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(char) ? char.charCodeAt(0) : BLANK;
});

/** None where the text is too short for a copy to mean anything. Case, accents, punctuation and spaces make no difference. */
export function signatureOf(text: string): Uint16Array | undefined {
  const length = readSaid(text.slice(0, CHARS));
  if (length < LEAST_RUNS + RUN - 1) return undefined;
  const least = new Uint32Array(SIGNATURE_LENGTH).fill(EMPTY);
  let full = 0;
  let rolled = 0;
  for (let at = 0; at < length; at++) {
    // The hash of the last five characters, from that of the five before.
    rolled = (Math.imul(rolled, BASE) + said[at]!) | 0;
    if (at < RUN - 1) continue;
    const hash = mixed(rolled);
    rolled = (rolled - Math.imul(said[at - RUN + 1]!, BASE_OF_FIRST)) | 0;
    const slot = hash & (SIGNATURE_LENGTH - 1);
    const rest = hash >>> 5;
    if (rest >= least[slot]!) continue;
    if (least[slot] === EMPTY) full++;
    least[slot] = rest;
  }
  // The same few words again and again are as short as they are once.
  return full < SIGNATURE_LENGTH / 2 ? undefined : filled(least);
}

const BASE = 0x01000193;
const BASE_OF_FIRST = Math.imul(Math.imul(BASE, BASE), Math.imul(BASE, BASE));

function mixed(rolled: number): number {
  let hash = Math.imul(rolled ^ (rolled >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The text at hand, without what makes no difference; used anew for each. One folded character may become several. */
const said = new Uint16Array(8 * CHARS);

/** How many characters it says, with single blanks between words and none at the ends. */
function readSaid(text: string): number {
  if (isAscii(text)) return readAscii(text);
  const folded = fold(text).replaceAll(NOT_SAID, " ").trim().slice(0, said.length);
  for (let at = 0; at < folded.length; at++) said[at] = folded.charCodeAt(at);
  return folded.length;
}

/** The same without a text in between, which is most of the time. */
function readAscii(text: string): number {
  let length = 0;
  let before = BLANK;
  for (let at = 0; at < text.length; at++) {
    const code = SAID[text.charCodeAt(at)]!;
    if (code === BLANK && before === BLANK) continue;
    said[length++] = before = code;
  }
  return before === BLANK && length > 0 ? length - 1 : length;
}

/** An empty slot takes what the next one has, in another form: two texts that fill the same slots alike stay alike. */
function filled(least: Uint32Array): Uint16Array {
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
