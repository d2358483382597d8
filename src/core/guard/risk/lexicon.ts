// Where a text speaks of one of the concepts, in whichever language: all words are looked for in one pass.
import { CONCEPT_NAMES, CONCEPTS } from "./concepts.ts";

/** A word, the number of its concept, and whether it must end where it does. */
interface Entry {
  readonly word: string;
  readonly concept: number;
  readonly whole: boolean;
}

/** Words are kept by their first characters: three, or as many as they have. */
const KEY = 3;
const SLOTS = 2 ** 14;
const step = (hash: number, code: number): number => (Math.imul(hash, 61) + code) & (SLOTS - 1);
function slotOf(word: string): number {
  let hash = Math.min(KEY, word.length);
  for (let at = 0; at < word.length && at < KEY; at++) hash = step(hash, word.charCodeAt(at));
  return hash;
}

/** By slot; most have none. */
const ENTRIES: readonly (readonly Entry[] | undefined)[] = slots(
  CONCEPT_NAMES.flatMap((name, concept) =>
    [...new Set(CONCEPTS[name].split(" "))].map((text): Entry => {
      const whole = text.endsWith("|");
      // In the form in which texts are looked at.
      return { word: (whole ? text.slice(0, -1) : text).replaceAll("_", " ").normalize("NFKC"), concept, whole };
    }),
  ),
);

function slots(entries: readonly Entry[]): readonly (readonly Entry[] | undefined)[] {
  const bySlot = Map.groupBy(entries, ({ word }) => slotOf(word));
  return Array.from({ length: SLOTS }, (_, slot) => bySlot.get(slot));
}

/** Han, kana, Hangul, Thai: what is a word there is not parted by blanks, or grows at its end. */
const isUnparted = (code: number): boolean =>
  code >= 0xe00 && (code < 0xe80 || (code >= 0x2e80 && code < 0xa000) || (code >= 0xac00 && code < 0xd7b0));
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 0xc0 && code !== 0xd7);

/** Each place where a concept is spoken of, in order; `text` is in lower case, with single blanks. */
export function eachConcept(text: string, visit: (concept: number, at: number) => void): void {
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const unparted = isUnparted(code);
    const starts = unparted || !inside;
    inside = isLetter(code);
    if (!starts || !inside) continue;
    const next = text.charCodeAt(at + 1);
    visitAt(text, at, step(step(step(3, code), next), text.charCodeAt(at + 2)), visit);
    visitAt(text, at, step(step(2, code), next), visit);
    if (unparted) visitAt(text, at, step(1, code), visit);
  }
}

function visitAt(text: string, at: number, slot: number, visit: (concept: number, at: number) => void): void {
  const entries = ENTRIES[slot];
  if (entries === undefined) return;
  for (let nth = 0; nth < entries.length; nth++) {
    const { word, concept, whole } = entries[nth]!;
    if (standsAt(text, at, word) && !(whole && isLetter(text.charCodeAt(at + word.length)))) visit(concept, at);
  }
}

/** As startsWith does it, which takes longer for a few characters. */
function standsAt(text: string, at: number, word: string): boolean {
  for (let nth = word.length - 1; nth >= 0; nth--) if (text.charCodeAt(at + nth) !== word.charCodeAt(nth)) return false;
  return true;
}
