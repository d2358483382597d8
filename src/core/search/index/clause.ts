// The postings of one clause of a query in one part of the index: a word, a phrase, or either with a prefix at its end.
import { prefixForms } from "../prefix.ts";
import type { Clause } from "../query.ts";
import { NO_POSTINGS, type IndexPart, type Postings } from "./index-part.ts";
import { commonPostings, type PositionedPostings, findRuns } from "./phrase-match.ts";

export const clausePostings = (part: IndexPart, clause: Clause): Postings =>
  takesLong(clause) ? atOnce(clauseSteps(part, clause)) : (part.postings(clause.words[0] ?? "") ?? NO_POSTINGS);

/** Whether the postings of a clause have to be put together from others. That takes long, so an immutable part caches them. */
export const takesLong = ({ words, prefix }: Clause): boolean => words.length > 1 || prefix;

function atOnce<Found>(steps: Generator<void, Found, void>): Found {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Finds the postings of such a clause in steps of some milliseconds each, so that other work can run in between. Cached postings need no
 * step.
 */
export function* clauseSteps(part: IndexPart, clause: Clause): Generator<void, Postings, void> {
  const key = `${clause.words.join(" ")}${clause.prefix ? "*" : ""}`;
  const known = part.prepared?.get(clause) ?? part.phrases?.get(key);
  if (known !== undefined) return known;
  const found = yield* clause.prefix ? prefixedSteps(part, clause) : phraseSteps(part, clause.words);
  part.prepared?.set(clause, found);
  part.phrases?.set(key, found);
  return found;
}

function* phraseSteps(part: IndexPart, words: readonly string[]): Generator<void, Postings, void> {
  const all: Placed[] = [];
  for (const word of words) {
    const postings = part.postings(word);
    if (postings !== undefined) all.push(new Placed(part, word, postings));
    yield;
  }
  return all.length < words.length ? NO_POSTINGS : yield* phrase(all);
}

/** Each word with the prefix, alone or as the end of the phrase. */
function* prefixedSteps(part: IndexPart, { words, forms }: Clause): Generator<void, Postings, void> {
  const before = words.slice(0, -1);
  const fixed = placed(part, before);
  if (fixed.length < before.length) return NO_POSTINGS;
  const { start, terms } = forms ?? prefixForms(words.at(-1) ?? "");
  const union = new Union(part.documents);
  const add = function* (word: string, postings: Postings): Generator<void, void, void> {
    union.add(fixed.length === 0 ? postings : yield* phrase([...fixed, new Placed(part, word, postings)]));
    yield;
  };
  for (const [word, postings] of part.wordsFrom(start)) yield* add(word, postings);
  for (const word of new Set(terms)) {
    const postings = word.startsWith(start) ? undefined : part.postings(word);
    if (postings !== undefined) yield* add(word, postings);
  }
  return union.postings();
}

/** The documents of several lists. */
class Union {
  readonly #titles: Uint16Array;
  readonly #bodies: Uint16Array;
  #found = 0;

  constructor(documents: number) {
    this.#titles = new Uint16Array(documents);
    this.#bodies = new Uint16Array(documents);
  }

  add({ docs, titles, bodies }: Postings): void {
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i]!;
      if (this.#titles[doc] === 0 && this.#bodies[doc] === 0) this.#found++;
      this.#titles[doc]! += titles[i]!;
      this.#bodies[doc]! += bodies[i]!;
    }
  }

  postings(): Postings {
    const found = this.#found;
    const all = { docs: new Uint32Array(found), titles: new Uint16Array(found), bodies: new Uint16Array(found) };
    for (let doc = 0, next = 0; next < found; doc++) {
      if (this.#titles[doc] === 0 && this.#bodies[doc] === 0) continue;
      all.docs[next] = doc;
      all.titles[next] = this.#titles[doc]!;
      all.bodies[next++] = this.#bodies[doc]!;
    }
    return all;
  }
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
