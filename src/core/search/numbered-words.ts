// The words of a text as numbers, equal words the same: made once for all queries on it.
import { NumberSequence } from "./number-sequence.ts";
import type { PrefixForms } from "./prefix.ts";

/** The gap "" is no word. */
const GAP = 0;

export class NumberedWords {
  readonly #words: readonly string[];
  readonly #numberOf = new Map<string, number>();
  readonly #numbers: Uint32Array;
  /** All words in order, made when somebody first asks for a prefix. */
  #sorted: readonly string[] | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#numbers = new Uint32Array(words.length);
    for (let at = 0; at < words.length; at++) this.#numbers[at] = this.#number(words[at]!);
  }

  #number(word: string): number {
    if (word === "") return GAP;
    const known = this.#numberOf.get(word);
    if (known !== undefined) return known;
    this.#numberOf.set(word, this.#numberOf.size + 1);
    return this.#numberOf.size;
  }

  has(word: string): boolean {
    return this.#numberOf.has(word);
  }

  hasBeginning({ start, terms }: PrefixForms): boolean {
    if (terms.some((term) => this.#numberOf.has(term))) return true;
    const sorted = (this.#sorted ??= [...this.#numberOf.keys()].sort());
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? "") < start) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(start) === true;
  }

  /** Whether the words of a phrase follow one another, and then a word that fits. */
  hasPhrase(phrase: readonly string[], fits: (next: string) => boolean = () => true): boolean {
    const wanted = phrase.map((word) => this.#numberOf.get(word) ?? GAP);
    if (wanted.includes(GAP)) return false;
    const sequence = new NumberSequence(wanted);
    const numbers = this.#numbers;
    for (let at = 0, seen = 0; at < numbers.length; at++) {
      seen = sequence.after(seen, numbers[at]!);
      if (seen === wanted.length && fits(this.#words[at + 1] ?? "")) return true;
    }
    return false;
  }
}
