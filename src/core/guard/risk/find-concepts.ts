// Finds the concepts in a text, in any language: all words are searched for in one pass.
import { CONCEPT_NAMES, CONCEPTS } from "./concepts.ts";
import type { PlainText } from "./normalized-text.ts";

/** A word, the number of its concept, and whether it must be a whole word. */
interface Entry {
  readonly word: Uint16Array;
  readonly concept: number;
  readonly whole: boolean;
}

/** Words are indexed by their first three characters, or fewer if they are shorter. */
const KEY = 3;
const SLOTS = 2 ** 14;
const step = (hash: number, code: number): number => (Math.imul(hash, 61) + code) & (SLOTS - 1);
function slotOf(word: Uint16Array): number {
  let hash = Math.min(KEY, word.length);
  for (let at = 0; at < word.length && at < KEY; at++) hash = step(hash, word[at]!);
  return hash;
}

/** The words of each slot; most slots have none. */
const ENTRIES: readonly (readonly Entry[] | undefined)[] = slots(
  CONCEPT_NAMES.flatMap((name, concept) =>
    [...new Set(CONCEPTS[name].split(" "))].map((text): Entry => {
      const whole = text.endsWith("|");
      // In the same form as the normalised text.
      const word = (whole ? text.slice(0, -1) : text).replaceAll("_", " ").normalize("NFKC");
      return { word: Uint16Array.from(word, (_, at) => word.charCodeAt(at)), concept, whole };
    }),
  ),
);

function slots(entries: readonly Entry[]): readonly (readonly Entry[] | undefined)[] {
  const bySlot = Map.groupBy(entries, ({ word }) => slotOf(word));
  return Array.from({ length: SLOTS }, (_, slot) => bySlot.get(slot));
}

/** Han, kana, Hangul, Thai: words there are not separated by blanks, or have endings. */
const isUnparted = (code: number): boolean =>
  code >= 0xe00 && (code < 0xe80 || (code >= 0x2e80 && code < 0xa000) || (code >= 0xac00 && code < 0xd7b0));
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 0xc0 && code !== 0xd7);

/** Calls back for each place where a concept occurs, in order. */
export function eachConcept(plain: PlainText, visit: (concept: number, at: number) => void): void {
  const { codes, length } = plain;
  let inside = false;
  for (let at = 0; at < length; at++) {
    const code = codes[at]!;
    const unparted = isUnparted(code);
    const starts = unparted || !inside;
    inside = isLetter(code);
    if (!starts || !inside) continue;
    const next = codes[at + 1]!;
    visitAt(plain, at, step(step(step(3, code), next), codes[at + 2]!), visit);
    visitAt(plain, at, step(step(2, code), next), visit);
    if (unparted) visitAt(plain, at, step(1, code), visit);
  }
}

function visitAt({ codes, length }: PlainText, at: number, slot: number, visit: (concept: number, at: number) => void): void {
  const entries = ENTRIES[slot];
  if (entries === undefined) return;
  for (let nth = 0; nth < entries.length; nth++) {
    const { word, concept, whole } = entries[nth]!;
    const end = at + word.length;
    if (end <= length && standsAt(codes, at, word) && !(whole && end < length && isLetter(codes[end]!))) visit(concept, at);
  }
}

function standsAt(codes: Uint16Array, at: number, word: Uint16Array): boolean {
  for (let nth = word.length - 1; nth >= 0; nth--) if (codes[at + nth] !== word[nth]) return false;
  return true;
}
