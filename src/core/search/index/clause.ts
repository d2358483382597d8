// The postings of one clause of a query in one part of the index: a word, a phrase, or either with a prefix at its end.
import { type PrefixForms, prefixForms } from "../prefix.ts";
import type { Clause } from "../query.ts";
import { NO_POSTINGS, type IndexPart, type Postings } from "./index-part.ts";
import { commonPostings, type PositionedPostings, findRuns } from "./phrase-match.ts";

export function clausePostings(part: IndexPart, { words, prefix, forms }: Clause): Postings {
  const last = words.at(-1);
  if (last === undefined) return NO_POSTINGS;
  const before = words.slice(0, -1);
  if (!prefix) return before.length === 0 ? (part.postings(last) ?? NO_POSTINGS) : atOnce(phraseSteps(part, words));
  const fixed = placed(part, before);
  if (fixed.length < before.length) return NO_POSTINGS;
  return union(part, expansions(part, forms ?? prefixForms(last), fixed));
}

/** Whether the clause is a phrase. The postings of a phrase take long to find, so an immutable part caches them. */
export const isPhrase = ({ words, prefix }: Clause): boolean => words.length > 1 && !prefix;

function atOnce<Found>(steps: Generator<void, Found, void>): Found {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Finds the postings of a phrase in steps of some milliseconds each, so that other work can run in between. Cached postings need no step.
 */
export function* phraseSteps(part: IndexPart, words: readonly string[]): Generator<void, Postings, void> {
  const key = words.join(" ");
  const cached = part.phrases?.get(key);
  if (cached !== undefined) return cached;
  const all: Placed[] = [];
  for (const word of words) {
    const postings = part.postings(word);
    if (postings !== undefined) all.push(new Placed(part, word, postings));
    yield;
  }
  const found = all.length < words.length ? NO_POSTINGS : yield* phrase(all);
  part.phrases?.set(key, found);
  return found;
}

/** The postings of each word with the prefix, alone or as the end of the phrase. */
function* expansions(part: IndexPart, { start, terms }: PrefixForms, fixed: readonly Placed[]): Iterable<Postings> {
  const end = (word: string, postings: Postings): Postings =>
    fixed.length === 0 ? postings : atOnce(phrase([...fixed, new Placed(part, word, postings)]));
  for (const [word, postings] of part.wordsFrom(start)) yield end(word, postings);
  for (const word of new Set(terms)) {
    const postings = word.startsWith(start) ? undefined : part.postings(word);
    if (postings !== undefined) yield end(word, postings);
  }
}

function union(part: IndexPart, lists: Iterable<Postings>): Postings {
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

/** The words with their positions; words that do not occur are left out. */
const placed = (part: IndexPart, words: readonly string[]): Placed[] =>
  words.flatMap((word) => {
    const postings = part.postings(word);
    return postings === undefined ? [] : [new Placed(part, word, postings)];
  });

class Placed {
  readonly postings: Postings;
  readonly #part: IndexPart;
  readonly #word: string;
  #places: PositionedPostings | undefined;

  constructor(part: IndexPart, word: string, postings: Postings) {
    this.#part = part;
    this.#word = word;
    this.postings = postings;
  }

  /** Read only if a phrase needs it. */
  get places(): PositionedPostings {
    if (this.#places !== undefined) return this.#places;
    const { docs, titles, bodies } = this.postings;
    const starts = new Uint32Array(docs.length + 1);
    for (let i = 0; i < docs.length; i++) starts[i + 1] = starts[i]! + titles[i]! + bodies[i]!;
    return (this.#places = { ...this.postings, positions: this.#part.positions(this.#word, this.postings), starts });
  }
}

/** Documents per step. */
const DOCUMENTS_PER_TURN = 16_384;

/** Documents in which the words follow one another in one field, found from the rarest of them. */
function* phrase(words: readonly Placed[]): Generator<void, Postings, void> {
  const lists = words.map(({ postings }) => postings.docs);
  const common = commonPostings(lists);
  if (common.length === 0) return NO_POSTINGS;
  yield;
  const places: PositionedPostings[] = [];
  for (const word of words) {
    places.push(word.places);
    yield;
  }
  const documents = common.length / words.length;
  const found = { docs: new Uint32Array(documents), titles: new Uint16Array(documents), bodies: new Uint16Array(documents) };
  let count = 0;
  for (let at = 0; at < common.length; at += DOCUMENTS_PER_TURN * words.length) {
    count = findRuns(places, common.subarray(at, at + DOCUMENTS_PER_TURN * words.length), found, count);
    yield;
  }
  return { docs: found.docs.slice(0, count), titles: found.titles.slice(0, count), bodies: found.bodies.slice(0, count) };
}
