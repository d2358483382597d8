// Where one clause of a query stands in one part of the index: a word, a phrase, or either ending in the beginning of a word.
import { prefixForms } from "../prefix.ts";
import type { Clause } from "../query.ts";
import { NO_POSTINGS, type Part, type Postings } from "./part.ts";

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
  #positions: Uint32Array | undefined;
  #starts: Uint32Array | undefined;

  constructor(part: Part, word: string, postings: Postings) {
    this.#part = part;
    this.#word = word;
    this.postings = postings;
  }

  get positions(): Uint32Array {
    return (this.#positions ??= this.#part.positions(this.#word, this.postings));
  }

  /** Where the positions of each posting begin. */
  get starts(): Uint32Array {
    if (this.#starts !== undefined) return this.#starts;
    const { docs, titles, bodies } = this.postings;
    const starts = new Uint32Array(docs.length);
    for (let i = 1; i < docs.length; i++) starts[i] = starts[i - 1]! + titles[i - 1]! + bodies[i - 1]!;
    return (this.#starts = starts);
  }
}

/** Documents in which the words follow one another in one field, found from the rarest of them. */
function phrase(words: readonly Placed[]): Postings {
  const rarest = words.reduce<Placed | undefined>(
    (least, word) => (least === undefined || word.postings.docs.length < least.postings.docs.length ? word : least),
    undefined,
  );
  if (rarest === undefined) return NO_POSTINGS;
  const docs: number[] = [];
  const titles: number[] = [];
  const bodies: number[] = [];
  const at = new Uint32Array(words.length);
  for (const doc of rarest.postings.docs) {
    if (!words.every(({ postings }, w) => postings.docs[(at[w] = seek(postings.docs, doc, at[w]!))] === doc)) continue;
    const title = runs(words, at, "title");
    const body = runs(words, at, "body");
    if (title + body === 0) continue;
    docs.push(doc);
    titles.push(title);
    bodies.push(body);
  }
  return { docs: Uint32Array.from(docs), titles: Uint16Array.from(titles), bodies: Uint16Array.from(bodies) };
}

/** The first index from `from` on whose item is not less: by growing steps, then by halves. */
function seek(docs: Uint32Array, doc: number, from: number): number {
  let step = 1;
  let low = from;
  while (low + step < docs.length && docs[low + step]! < doc) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, docs.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How often the words stand one after the other in a field of the document at which each of them is. */
function runs(words: readonly Placed[], at: Uint32Array, field: "title" | "body"): number {
  let count = 0;
  const [from, to] = span(words[0]!, at[0]!, field);
  for (let i = from; i < to; i++) {
    const first = words[0]!.positions[i]!;
    if (words.every((word, w) => w === 0 || holds(word, at[w]!, field, first + w))) count++;
  }
  return count;
}

function span({ postings, starts }: Placed, at: number, field: "title" | "body"): readonly [number, number] {
  const start = starts[at]!;
  const middle = start + postings.titles[at]!;
  return field === "title" ? [start, middle] : [middle, middle + postings.bodies[at]!];
}

function holds(word: Placed, at: number, field: "title" | "body", position: number): boolean {
  let [low, high] = span(word, at, field);
  const end = high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (word.positions[middle]! < position) low = middle + 1;
    else high = middle;
  }
  return low < end && word.positions[low] === position;
}
