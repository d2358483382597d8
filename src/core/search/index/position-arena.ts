// The positions of each word of a memtable: numbers in one long list, in which each word has chunks, each twice as long as the one before.
import { termKey } from "./index-part.ts";

/** One posting of a word: its document, and its positions there, those in the title first; the next posting overwrites the list. */
export type VisitWord = (doc: number, title: number, body: number, positions: Int32Array) => void;

export const TITLE = 0;
export const BODY = 1;

/** Numbers per occurrence: the document, and the position with the field in its lowest bit. */
const PLACE = 2;
/** Numbers per word: where its first chunk begins, where its next occurrence goes, where the current chunk ends, and its documents. */
const WORD = 4;
/** Lengths of chunks. After each chunk there is one more number: its length, and once it is full, where the next chunk begins. */
const SHORTEST = 2 * PLACE;
const LONGEST = 256 * PLACE;

/** Numbers and no objects: a memtable has hundreds of thousands of occurrences, and most words occur only once. */
export class PositionArena {
  /** Number of occurrences. */
  count = 0;
  readonly #numbers = new Map<string, number>();
  #words = new Int32Array(1024 * WORD);
  #list = new Int32Array(16_384);
  #end = 0;
  #positions = new Int32Array(256);

  /** In ascending order of document, field and position; returns whether it is the first occurrence of the word in the document. */
  add(word: string, doc: number, field: typeof TITLE | typeof BODY, position: number): boolean {
    const number = this.#numbers.get(word) ?? this.#numberOf(termKey(word));
    const words = this.#words;
    const last = words[number + 1]!;
    const another = words[number + 3] === 0 || this.#list[last - PLACE] !== doc;
    const at = last === words[number + 2] ? this.#stretch(number, last) : last;
    this.#list[at] = doc;
    this.#list[at + 1] = position * 2 + field;
    words[number + 1] = at + PLACE;
    if (another) words[number + 3]!++;
    this.count++;
    return another;
  }

  words(): Iterable<string> {
    return this.#numbers.keys();
  }

  /** The number of documents with the word. */
  documents(word: string): number {
    const number = this.#numbers.get(termKey(word));
    return number === undefined ? 0 : this.#words[number + 3]!;
  }

  each(word: string, visit: VisitWord): void {
    const number = this.#numbers.get(termKey(word));
    if (number === undefined) return;
    const list = this.#list;
    const end = this.#words[number + 1]!;
    let at = this.#words[number]!;
    let length = SHORTEST;
    let until = at + length;
    let doc = list[at]!;
    let title = 0;
    let all = 0;
    while (at !== end) {
      if (at === until) {
        at = list[until]!;
        length = longer(length);
        until = at + length;
      }
      if (list[at] !== doc) {
        visit(doc, title, all - title, this.#positions);
        doc = list[at]!;
        title = all = 0;
      }
      const place = list[at + 1]!;
      if ((place & 1) === TITLE) title++;
      if (all === this.#positions.length) this.#positions = grown(this.#positions, all + 1);
      this.#positions[all++] = place >>> 1;
      at += PLACE;
    }
    visit(doc, title, all - title, this.#positions);
  }

  /** The index of the numbers of a word, which is added if it is new. */
  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size * WORD;
    this.#numbers.set(word, number);
    this.#words = grown(this.#words, number + WORD);
    const first = this.#allocate(SHORTEST);
    this.#words.set([first, first, first + SHORTEST, 0], number);
    return number;
  }

  /** The start of a new chunk for a word whose last chunk is full. */
  #stretch(number: number, full: number): number {
    const length = longer(this.#list[full]!);
    const at = this.#allocate(length);
    this.#list[full] = at;
    this.#words[number + 2] = at + length;
    return at;
  }

  #allocate(length: number): number {
    const at = this.#end;
    this.#end += length + 1;
    this.#list = grown(this.#list, this.#end);
    this.#list[at + length] = length;
    return at;
  }
}

const longer = (length: number): number => Math.min(length * 2, LONGEST);

function grown(list: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= list.length) return list;
  const to = new Int32Array(Math.max(list.length * 2, length));
  to.set(list);
  return to;
}
