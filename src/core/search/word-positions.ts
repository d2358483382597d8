// The positions of each word in a text: made once for all queries on it.
import type { PrefixForms } from "./prefix.ts";

const NOWHERE: readonly number[] = [];

export class WordPositions {
  readonly words: readonly string[];
  readonly #places = new Map<string, number[]>();
  /** All words in order, made when somebody first asks for a prefix. */
  #sorted: readonly string[] | undefined;

  /** The gap "" is no word. */
  constructor(words: readonly string[]) {
    this.words = words;
    for (const [place, word] of words.entries()) {
      if (word === "") continue;
      const known = this.#places.get(word);
      if (known === undefined) this.#places.set(word, [place]);
      else known.push(place);
    }
  }

  of(word: string): readonly number[] {
    return this.#places.get(word) ?? NOWHERE;
  }

  hasBeginning({ start, terms }: PrefixForms): boolean {
    if (terms.some((term) => this.#places.has(term))) return true;
    const sorted = (this.#sorted ??= [...this.#places.keys()].sort());
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? "") < start) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(start) === true;
  }
}
