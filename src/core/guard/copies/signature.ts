// What near-copies of a text have in common: MinHash over runs of its characters, in one pass (one permutation, cut into slots).
import { fold } from "../../search/fold.ts";

/** So many numbers of sixteen bits stand for a text: 64 bytes. */
export const SIGNATURE = 32;
/** Of so many characters; a changed one touches as many runs. */
const RUN = 5;
/** A shorter text is said by many people: `thanks, that works` is nobody's copy. */
const LEAST_RUNS = 60;
/** As far as a text is looked at, so that the longest costs little more than most. */
const CHARS = 8192;

const NOT_SAID = /[^\p{L}\p{N}]+/gu;
const EMPTY = 0xffffffff;

/** None where the text is too short for a copy to mean anything. Case, accents, punctuation and spaces make no difference. */
export function signatureOf(text: string): Uint16Array | undefined {
  const said = fold(text.slice(0, CHARS)).replaceAll(NOT_SAID, " ").trim();
  if (said.length < LEAST_RUNS + RUN - 1) return undefined;
  const least = new Uint32Array(SIGNATURE).fill(EMPTY);
  let full = 0;
  for (let at = 0; at + RUN <= said.length; at++) {
    const hash = hashAt(said, at);
    const slot = hash & (SIGNATURE - 1);
    const rest = hash >>> 5;
    if (rest >= least[slot]!) continue;
    if (least[slot] === EMPTY) full++;
    least[slot] = rest;
  }
  // The same few words again and again are as short as they are once.
  return full < SIGNATURE / 2 ? undefined : filled(least);
}

function hashAt(text: string, from: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + RUN; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** An empty slot takes what the next one has, in another form: two texts that fill the same slots alike stay alike. */
function filled(least: Uint32Array): Uint16Array {
  const signature = new Uint16Array(SIGNATURE);
  for (let slot = 0; slot < SIGNATURE; slot++) {
    let away = 0;
    while (least[(slot + away) % SIGNATURE] === EMPTY) away++;
    const number = least[(slot + away) % SIGNATURE]! + Math.imul(away, 0x9e3779b1);
    signature[slot] = number ^ (number >>> 16);
  }
  return signature;
}

/** 0 to 1: about the share of runs that two texts have in common. */
export function resemblance(a: Uint16Array, b: Uint16Array): number {
  let same = 0;
  for (let at = 0; at < SIGNATURE; at++) if (a[at] === b[at]) same++;
  return same / SIGNATURE;
}
