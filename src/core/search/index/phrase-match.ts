// Phrases: the documents in which words follow one another, how often and where.
import { NumberSequence } from "../number-sequence.ts";
import type { Effort } from "./effort.ts";
import { seek } from "./gallop.ts";
import type { Positions, Postings } from "./index-part.ts";
import { Numbers } from "./numbers.ts";

/** A word, or a phrase that others follow: its documents, and where it is in them. */
export interface Placed {
  readonly postings: Postings;
  /** Used only if all words of the phrase are in one document. */
  readonly positions: Positions;
}

/** Documents by their numbers, the last one excluded. */
export interface DocumentRange {
  readonly from: number;
  readonly to: number;
}

/** Goes from document to document. A word that occurs several times in the phrase is the same object each time, and is read once. */
export class PhraseFinder {
  /** The last document with the phrase, and how often its title and its body have it. */
  doc = 0;
  title = 0;
  body = 0;
  /** Where the last word of the phrase is each time: first in the title, then in the body. */
  readonly #ends = new Numbers();
  /** Each word once. */
  readonly #words: readonly Word[];
  /** The whole phrase by the numbers of its words, from 1 on, if some are equal; then what number is where in a field, 0 where none is. */
  readonly #sequence: NumberSequence | undefined;
  #field = new Uint16Array(0);
  /** The documents of the rarest word, and which of them is next. */
  readonly #docs: Uint32Array;
  #next: number;
  readonly #to: number;
  readonly #effort: Effort;

  /** `among`: documents of which only these matter, though others may be found. */
  constructor(phrase: readonly Placed[], { from, to }: DocumentRange, effort: Effort, among?: Uint32Array) {
    const words = [...new Set(phrase)];
    this.#words = words.map((placed) => ({ placed, ...placed.postings, posting: 0, list: NONE, from: 0, to: 0 }));
    this.#sequence = words.length < phrase.length ? new NumberSequence(phrase.map((word) => words.indexOf(word) + 1)) : undefined;
    const lists = this.#words.map(({ docs }) => docs);
    this.#docs = lists.reduce((least, docs) => (docs.length < least.length ? docs : least), among ?? lists[0] ?? NONE);
    this.#next = seek(this.#docs, from, 0);
    this.#to = to;
    this.#effort = effort;
  }

  get ends(): Uint32Array {
    return this.#ends.items;
  }

  /** `again` after some thousand steps, so that other work can run. */
  next(): "found" | "again" | "over" {
    const docs = this.#docs;
    for (; this.#next < docs.length && docs[this.#next]! < this.#to; this.#next++) {
      this.#effort.spend(1);
      if (this.#effort.isDue()) return "again";
      const doc = docs[this.#next]!;
      if (!this.#haveAll(doc)) continue;
      if (!this.#read()) return "again";
      this.#look();
      if (this.title + this.body === 0) continue;
      this.doc = doc;
      this.#next++;
      return "found";
    }
    return "over";
  }

  #haveAll(doc: number): boolean {
    const words = this.#words;
    for (let w = 0; w < words.length; w++) {
      const word = words[w]!;
      const { docs } = word;
      // For common words it is usually the next one.
      if (docs[word.posting]! < doc) word.posting = seek(docs, doc, word.posting + 1);
      if (docs[word.posting] !== doc) return false;
    }
    return true;
  }

  #read(): boolean {
    const words = this.#words;
    for (let w = 0; w < words.length; w++) {
      const word = words[w]!;
      const { positions } = word.placed;
      if (!positions.read(word.posting, this.#effort)) return false;
      word.list = positions.list;
      word.from = positions.from;
    }
    return true;
  }

  /** How often the words follow one another in the title and in the body of the document. */
  #look(): void {
    const words = this.#words;
    let inTitle = true;
    for (let w = 0; w < words.length; w++) {
      const word = words[w]!;
      word.to = word.from + word.titles[word.posting]!;
      if (word.to === word.from) inTitle = false;
    }
    this.#ends.length = 0;
    this.title = inTitle ? this.#runs() : 0;
    for (let w = 0; w < words.length; w++) {
      const word = words[w]!;
      word.from = word.to;
      word.to += word.bodies[word.posting]!;
    }
    this.body = this.#runs();
  }

  /** How often the words follow one another in the current field. */
  #runs(): number {
    const words = this.#words;
    let rarest = 0;
    for (let w = 1; w < words.length; w++) if (lengthOf(words[w]!) < lengthOf(words[rarest]!)) rarest = w;
    if (lengthOf(words[rarest]!) === 0) return 0;
    const before = this.#ends.length;
    if (this.#sequence === undefined) this.#lookFrom(rarest);
    else this.#lookFor(this.#sequence);
    return this.#ends.length - before;
  }

  /** From one of the words on, in ever longer steps through the others, so that a word of which a text is full takes no longer. */
  #lookFrom(rarest: number): void {
    const words = this.#words;
    const { list, from, to } = words[rarest]!;
    this.#effort.spend((to - from) * words.length);
    next: for (let at = from; at < to; at++) {
      const first = list[at]! - rarest;
      for (let w = 0; w < words.length; w++) {
        if (w === rarest) continue;
        const word = words[w]!;
        const place = (word.from = seekNear(word.list, first + w, word.from, word.to));
        if (place === word.to) return;
        if (word.list[place] !== first + w) continue next;
      }
      this.#ends.push(first + words.length - 1);
    }
  }

  /** Through all places of the words in order, so that a text that repeats them as the phrase does takes no longer. */
  #lookFor(sequence: NumberSequence): void {
    const words = this.#words;
    const { length } = sequence;
    let first = words[0]!.list[words[0]!.from]!;
    let last = 0;
    for (let w = 0; w < words.length; w++) {
      const { list, from, to } = words[w]!;
      if (list[from]! < first) first = list[from]!;
      if (list[to - 1]! > last) last = list[to - 1]!;
    }
    if (this.#field.length <= last) this.#field = new Uint16Array(2 * last + 1);
    const field = this.#field;
    for (let w = 0; w < words.length; w++) {
      const { list, from, to } = words[w]!;
      for (let at = from; at < to; at++) field[list[at]!] = w + 1;
    }
    let seen = 0;
    for (let at = first; at <= last; at++) {
      const number = field[at]!;
      field[at] = 0;
      seen = number === 0 ? 0 : sequence.after(seen, number);
      if (seen === length) this.#ends.push(at);
    }
    this.#effort.spend(last - first);
  }
}

interface Word extends Postings {
  readonly placed: Placed;
  posting: number;
  /** Where its positions in the current field begin and end. */
  list: Uint32Array;
  from: number;
  to: number;
}

const lengthOf = ({ from, to }: Word): number => to - from;

const NONE = new Uint32Array(0);
const NEAR = 8;

/** Like `seek`: in most texts the next place is one of the next few. */
function seekNear(list: Uint32Array, place: number, from: number, to: number): number {
  const near = Math.min(from + NEAR, to);
  for (let at = from; at < near; at++) if (list[at]! >= place) return at;
  return near === to ? to : seek(list, place, near, to);
}
