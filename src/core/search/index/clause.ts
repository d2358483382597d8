// The postings of one clause of a query in one part of the index: a word, a phrase, or either with a prefix at its end.
import { type PrefixForms, prefixForms } from "../prefix.ts";
import { type Clause, clauseText } from "../query.ts";
import { Effort } from "./effort.ts";
import { FoundPositions, FoundPostings } from "./found-postings.ts";
import { NO_POSTINGS, type IndexPart, type Positions, type Postings } from "./index-part.ts";
import { type DocumentRange, PhraseFinder, type Placed } from "./phrase-match.ts";
import { seek } from "./gallop.ts";

export const clausePostings = (part: IndexPart, clause: Clause): Postings =>
  takesLong(clause) ? atOnce(clauseSteps(part, clause)) : (part.postings(clause.words[0] ?? "") ?? NO_POSTINGS);

/** Whether the postings of a clause have to be put together from others. That takes long, so parts cache them. */
export const takesLong = ({ words, prefix }: Clause): boolean => words.length > 1 || prefix;

function atOnce<Found>(steps: Generator<void, Found, void>): Found {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Finds the postings of such a clause in steps of a few milliseconds at most, so that other work can run in between. Cached postings need
 * no step, and only documents that were added since are looked at. What is added between two steps is left for the next call.
 */
export function* clauseSteps(part: IndexPart, clause: Clause): Generator<void, Postings, void> {
  const text = clauseText(clause);
  const { documents } = part;
  let found = part.prepared.get(clause) ?? part.phrases.get(text) ?? { postings: NO_POSTINGS, documents: 0 };
  if (found.documents < documents) {
    const added = yield* addedSteps(part, clause, { from: found.documents, to: documents });
    found = { postings: joined(found.postings, added), documents };
    part.phrases.set(text, found);
  }
  part.prepared.set(clause, found);
  return found.postings;
}

const addedSteps = (part: IndexPart, clause: Clause, range: DocumentRange): Generator<void, Postings, void> =>
  clause.prefix ? prefixedSteps(part, clause, range) : phraseSteps(part, clause.words, range);

function joined(first: Postings, second: Postings): Postings {
  if (first.docs.length === 0) return second;
  if (second.docs.length === 0) return first;
  const docs = new Uint32Array(first.docs.length + second.docs.length);
  const [titles, bodies] = [new Uint16Array(docs.length), new Uint16Array(docs.length)];
  for (const [from, part] of [[0, first] as const, [first.docs.length, second] as const]) {
    docs.set(part.docs, from);
    titles.set(part.titles, from);
    bodies.set(part.bodies, from);
  }
  return { docs, titles, bodies };
}

function* phraseSteps(part: IndexPart, words: readonly string[], range: DocumentRange): Generator<void, Postings, void> {
  const phrase = yield* placedSteps(part, words);
  if (phrase === undefined) return NO_POSTINGS;
  const found = new FoundPostings();
  const finder = new PhraseFinder(phrase, range, new Effort());
  for (let step = finder.next(); step !== "over"; step = finder.next()) {
    if (step === "found") found.add(finder.doc, finder.title, finder.body);
    else yield;
  }
  return found.postings();
}

/** Each word with the prefix, alone or as the end of the phrase. */
function* prefixedSteps(part: IndexPart, { words, forms }: Clause, range: DocumentRange): Generator<void, Postings, void> {
  const last = forms ?? prefixForms(words.at(-1) ?? "");
  const effort = new Effort();
  const before = yield* placedSteps(part, words.slice(0, -1));
  if (before === undefined) return NO_POSTINGS;
  const having = yield* unionSteps(part, last, range, effort);
  if (before.length === 0 || having.docs.length === 0) return having;
  const ended = new Union(range);
  const finder = new PhraseFinder(before, range, effort, having.docs);
  for (let begun = new BegunPhrases(), step = finder.next(); ; step = finder.next()) {
    if (step === "found") begun.add(finder);
    if (step === "over" || begun.full) {
      yield* addEnded(ended, part, begun.placed(), last, { range, effort });
      begun = new BegunPhrases();
    }
    if (step === "over") return ended.postings();
    if (step === "again") yield;
  }
}

function* unionSteps(part: IndexPart, last: PrefixForms, range: DocumentRange, effort: Effort): Generator<void, Postings, void> {
  const union = new Union(range);
  for (const word of begunWords(part, last, effort)) {
    if (word !== undefined) union.addAll(word.postings);
    if (word === undefined || effort.isDue()) yield;
  }
  return union.postings();
}

/** Adds the documents in which a word with the prefix follows. */
function* addEnded(
  ended: Union,
  part: IndexPart,
  begun: Placed,
  last: PrefixForms,
  { range, effort }: { readonly range: DocumentRange; readonly effort: Effort },
): Generator<void, void, void> {
  if (begun.postings.docs.length === 0) return;
  for (const word of begunWords(part, last, effort)) {
    if (word !== undefined) {
      const finder = new PhraseFinder([begun, word], range, effort);
      for (let step = finder.next(); step !== "over"; step = finder.next()) {
        if (step === "found") ended.add(finder.doc, finder.title, finder.body);
        else yield;
      }
    }
    if (word === undefined || effort.isDue()) yield;
  }
}

/** What it takes to look up a word and its documents, in steps: most are rare. */
const WORD_STEPS = 1024;

/** The words with a prefix; undefined in between. */
function* begunWords(part: IndexPart, { start, terms }: PrefixForms, effort: Effort): Generator<PlacedWord | undefined, void, void> {
  const placed = (word: string, postings: Postings): PlacedWord => {
    effort.spend(WORD_STEPS + postings.docs.length);
    return new PlacedWord(part, word, postings);
  };
  for (const found of part.wordsFrom(start)) yield found && placed(...found);
  for (const word of new Set(terms)) {
    const postings = word.startsWith(start) ? undefined : part.postings(word);
    if (postings !== undefined) yield placed(word, postings);
  }
}

/** The words of a phrase, equal words as one object; undefined if one does not occur. */
function* placedSteps(part: IndexPart, words: readonly string[]): Generator<void, readonly Placed[] | undefined, void> {
  if (words.some((word) => part.frequency(word) === 0)) return undefined;
  const known = new Map<string, Placed>();
  for (const word of new Set(words)) {
    known.set(word, new PlacedWord(part, word, part.postings(word) ?? NO_POSTINGS));
    yield;
  }
  return words.flatMap((word) => known.get(word) ?? []);
}

class PlacedWord implements Placed {
  readonly postings: Postings;
  readonly #part: IndexPart;
  readonly #word: string;
  #positions: Positions | undefined;

  constructor(part: IndexPart, word: string, postings: Postings) {
    this.#part = part;
    this.#word = word;
    this.postings = postings;
  }

  get positions(): Positions {
    return (this.#positions ??= this.#part.positions(this.#word, this.postings));
  }
}

/** So many positions are kept at once, in 16 MiB; if a phrase begins more often, the words that end it are looked up again. */
const BEGUN_AT_ONCE = 4 * 1024 * 1024;

/** Where a phrase is that words with a prefix may follow. */
class BegunPhrases {
  readonly #postings = new FoundPostings();
  readonly #ends = new FoundPositions();

  get full(): boolean {
    return this.#ends.length >= BEGUN_AT_ONCE;
  }

  add({ doc, title, body, ends }: PhraseFinder): void {
    this.#postings.add(doc, title, body);
    this.#ends.add(ends, title + body);
  }

  placed(): Placed {
    return { postings: this.#postings.postings(), positions: this.#ends };
  }
}

/** The documents of several lists, as far as they are in a range. */
class Union {
  readonly #range: DocumentRange;
  readonly #titles: Uint16Array;
  readonly #bodies: Uint16Array;
  #found = 0;

  constructor(range: DocumentRange) {
    this.#range = range;
    this.#titles = new Uint16Array(range.to - range.from);
    this.#bodies = new Uint16Array(range.to - range.from);
  }

  addAll({ docs, titles, bodies }: Postings): void {
    for (let i = seek(docs, this.#range.from, 0); i < docs.length && docs[i]! < this.#range.to; i++)
      this.add(docs[i]!, titles[i]!, bodies[i]!);
  }

  add(doc: number, title: number, body: number): void {
    const at = doc - this.#range.from;
    if (this.#titles[at] === 0 && this.#bodies[at] === 0) this.#found++;
    this.#titles[at]! += title;
    this.#bodies[at]! += body;
  }

  postings(): Postings {
    const found = this.#found;
    const all = { docs: new Uint32Array(found), titles: new Uint16Array(found), bodies: new Uint16Array(found) };
    for (let at = 0, next = 0; next < found; at++) {
      if (this.#titles[at] === 0 && this.#bodies[at] === 0) continue;
      all.docs[next] = at + this.#range.from;
      all.titles[next] = this.#titles[at]!;
      all.bodies[next++] = this.#bodies[at]!;
    }
    return all;
  }
}
