// Where one clause of a query stands in one part of the index: a word, a phrase, or either ending in the beginning of a word.
import { prefixForms } from "../prefix.ts";
import type { Clause } from "../query.ts";
import { NO_POSTINGS, type Part, type Postings } from "./part.ts";
import { seek } from "./seek.ts";

export function clausePostings(part: Part, { words, prefix }: Clause): Postings {
  const last = words.at(-1);
  if (last === undefined) return NO_POSTINGS;
  const before = words.slice(0, -1);
  if (!prefix) return before.length === 0 ? (part.postings(last) ?? NO_POSTINGS) : whole(part, words);
  const fixed = placed(part, before);
  if (fixed.length < before.length) return NO_POSTINGS;
  return union(part, expansions(part, last, fixed));
}

function whole(part: Part, words: readonly string[]): Postings {
  const all = placed(part, words);
  return all.length < words.length ? NO_POSTINGS : phrase(all);
}

/** Each word that the beginning stands for, alone or as the end of the phrase. */
function* expansions(part: Part, beginning: string, fixed: readonly Placed[]): Iterable<Postings> {
  const { start, terms } = prefixForms(beginning);
  const end = (word: string, postings: Postings): Postings =>
    fixed.length === 0 ? postings : phrase([...fixed, new Placed(part, word, postings)]);
  for (const [word, postings] of part.wordsFrom(start)) yield end(word, postings);
  for (const word of new Set(terms)) {
    const postings = word.startsWith(start) ? undefined : part.postings(word);
    if (postings !== undefined) yield end(word, postings);
  }
}

function union(part: Part, lists: Iterable<Postings>): Postings {
  const titles = new Uint16Array(part.documents);
  const bodies = new Uint16Array(part.documents);
  let found = 0;
  for (const list of lists) {
    for (let i = 0; i < list.docs.length; i++) {
      const doc = list.docs[i]!;
      if (titles[doc] === 0 && bodies[doc] === 0) found++;
      titles[doc]! += list.titles[i]!;
      bodies[doc]! += list.bodies[i]!;
    }
  }
  const all = { docs: new Uint32Array(found), titles: new Uint16Array(found), bodies: new Uint16Array(found) };
  for (let doc = 0, next = 0; next < found; doc++) {
    if (titles[doc] === 0 && bodies[doc] === 0) continue;
    all.docs[next] = doc;
    all.titles[next] = titles[doc]!;
    all.bodies[next++] = bodies[doc]!;
  }
  return all;
}

/** A word with its places; shorter than asked where one of the words is nowhere. */
const placed = (part: Part, words: readonly string[]): Placed[] =>
  words.flatMap((word) => {
    const postings = part.postings(word);
    return postings === undefined ? [] : [new Placed(part, word, postings)];
  });

class Placed {
  readonly postings: Postings;
  readonly #part: Part;
  readonly #word: string;
  #places: Places | undefined;

  constructor(part: Part, word: string, postings: Postings) {
    this.#part = part;
    this.#word = word;
    this.postings = postings;
  }

  /** Read only where a phrase comes down to it. */
  get places(): Places {
    if (this.#places !== undefined) return this.#places;
    const { docs, titles, bodies } = this.postings;
    const starts = new Uint32Array(docs.length + 1);
    for (let i = 0; i < docs.length; i++) starts[i + 1] = starts[i]! + titles[i]! + bodies[i]!;
    return (this.#places = { ...this.postings, positions: this.#part.positions(this.#word, this.postings), starts });
  }
}

/** `starts` says where in `positions` those of each posting begin. */
interface Places extends Postings {
  readonly positions: Uint32Array;
  readonly starts: Uint32Array;
}

/** Documents in which the words follow one another in one field, found from the rarest of them. */
function phrase(words: readonly Placed[]): Postings {
  const lists = words.map(({ postings }) => postings.docs);
  const rarest = lists.reduce((least, docs) => (docs.length < least.length ? docs : least), lists[0] ?? NO_POSTINGS.docs);
  const common = commonPostings(lists, rarest);
  if (common.length === 0) return NO_POSTINGS;
  const places = words.map((word) => word.places);
  const docs: number[] = [];
  const titles: number[] = [];
  const bodies: number[] = [];
  // For each word, where its positions in the field at hand begin and end.
  const from = new Uint32Array(words.length);
  const to = new Uint32Array(words.length);
  for (let at = 0; at < common.length; at += words.length) {
    for (let w = 0; w < words.length; w++) {
      from[w] = places[w]!.starts[common[at + w]!]!;
      to[w] = from[w]! + places[w]!.titles[common[at + w]!]!;
    }
    const title = runs(places, from, to);
    for (let w = 0; w < words.length; w++) {
      from[w] = places[w]!.starts[common[at + w]!]! + places[w]!.titles[common[at + w]!]!;
      to[w] = places[w]!.starts[common[at + w]! + 1]!;
    }
    const body = runs(places, from, to);
    if (title + body === 0) continue;
    docs.push(lists[0]![common[at]!]!);
    titles.push(title);
    bodies.push(body);
  }
  return { docs: Uint32Array.from(docs), titles: Uint16Array.from(titles), bodies: Uint16Array.from(bodies) };
}

/** For each document that is in all lists: its index in each of them, one after the other. */
function commonPostings(lists: readonly Uint32Array[], rarest: Uint32Array): number[] {
  const found: number[] = [];
  const at = new Uint32Array(lists.length);
  for (let i = 0; i < rarest.length; i++) {
    const doc = rarest[i]!;
    let w = 0;
    for (; w < lists.length; w++) {
      const docs = lists[w]!;
      at[w] = seek(docs, doc, at[w]!);
      if (docs[at[w]!] !== doc) break;
    }
    if (w === lists.length) for (w = 0; w < lists.length; w++) found.push(at[w]!);
  }
  return found;
}

/** How often the words stand one after the other; `from` is moved along. */
function runs(places: readonly Places[], from: Uint32Array, to: Uint32Array): number {
  let count = 0;
  const { positions: firsts } = places[0]!;
  for (let i = from[0]!; i < to[0]!; i++) {
    const first = firsts[i]!;
    let w = 1;
    for (; w < places.length; w++) {
      const { positions } = places[w]!;
      while (from[w]! < to[w]! && positions[from[w]!]! < first + w) from[w]!++;
      if (from[w]! >= to[w]!) return count;
      if (positions[from[w]!] !== first + w) break;
    }
    if (w === places.length) count++;
  }
  return count;
}
