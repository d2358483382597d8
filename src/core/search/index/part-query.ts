// The documents of a part that match a query, and how often each clause occurs in them.
import type { Clause, Query } from "../query.ts";
import { clausePostings } from "./clause.ts";
import type { IndexPart, Postings } from "./index-part.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";
import { seek } from "./gallop.ts";

export interface Selection {
  readonly clauses: readonly Postings[];
  /** Ascending numbers of the live documents that match; valid until the buffers are used again. */
  readonly docs: Uint32Array;
}

/** A query, prepared for one part. */
export class PartQuery {
  readonly part: IndexPart;
  readonly #mode: Query["mode"];
  readonly #clauses: readonly PartClause[];
  readonly #not: readonly PartClause[];

  constructor(part: IndexPart, { mode, clauses, not }: Query) {
    this.part = part;
    this.#mode = mode;
    this.#clauses = clauses.map((clause) => new PartClause(part, clause));
    this.#not = not.map((clause) => new PartClause(part, clause));
  }

  select(buffers: ScratchBuffers): Selection {
    if (this.#mode === "all" && this.#clauses.some(({ count }) => count === 0)) return { clauses: [], docs: new Uint32Array(0) };
    const clauses = this.#clauses.map((clause, c) => clause.read(buffers, c));
    const not = this.#not.map((clause, n) => clause.read(buffers, clauses.length + n));
    return { clauses, docs: combine(this.part, this.#mode, clauses, not, buffers) };
  }
}

/** A single word is read when needed, which is as fast as caching it; computed lists are cached. */
class PartClause {
  readonly count: number;
  readonly #part: IndexPart;
  readonly #word: string | undefined;
  readonly #found: Postings | undefined;

  constructor(part: IndexPart, clause: Clause) {
    this.#part = part;
    this.#word = clause.prefix || clause.words.length !== 1 ? undefined : clause.words[0];
    this.#found = this.#word === undefined ? clausePostings(part, clause) : undefined;
    this.count = this.#word === undefined ? (this.#found?.docs.length ?? 0) : part.frequency(this.#word);
  }

  read(buffers: ScratchBuffers, number: number): Postings {
    if (this.#found !== undefined) return this.#found;
    const { docs, titles, bodies } = buffers.list(number, this.count);
    const list = { docs: docs.subarray(0, this.count), titles: titles.subarray(0, this.count), bodies: bodies.subarray(0, this.count) };
    if (this.#word !== undefined && this.count > 0) this.#part.readPostings(this.#word, list);
    return list;
  }
}

/** A list this many times shorter than the part is scanned, and the others are looked up. */
const SHORT = 16;
const EXCLUDED = 0xff;

function combine(
  part: IndexPart,
  mode: Query["mode"],
  clauses: readonly Postings[],
  not: readonly Postings[],
  buffers: ScratchBuffers,
): Uint32Array {
  const [only] = clauses;
  const alone = clauses.length === 1 && only !== undefined && not.length === 0;
  if (alone && part.deadCount === 0) return only.docs;
  const lists = clauses.map(({ docs }) => docs);
  const shortest = lists.reduce((least, docs) => (docs.length < least.length ? docs : least), lists[0] ?? new Uint32Array(0));
  if (alone || (mode === "all" && lists.length > 0 && shortest.length * SHORT < part.documents)) {
    const others = lists.filter((docs) => docs !== shortest);
    return walk(part, shortest, others, not, buffers.docs(shortest.length));
  }
  return count(part, mode, clauses, not, buffers);
}

/** The intersection of all lists, starting from the shortest. */
function walk(
  part: IndexPart,
  shortest: Uint32Array,
  others: readonly Uint32Array[],
  not: readonly Postings[],
  out: Uint32Array,
): Uint32Array {
  const at = new Uint32Array(others.length);
  const notAt = new Uint32Array(not.length);
  let found = 0;
  next: for (let i = 0; i < shortest.length; i++) {
    const doc = shortest[i]!;
    if (part.dead[doc] === 1) continue;
    for (let o = 0; o < others.length; o++) {
      const docs = others[o]!;
      at[o] = seek(docs, doc, at[o]!);
      if (docs[at[o]!] !== doc) continue next;
    }
    for (let n = 0; n < not.length; n++) {
      const { docs } = not[n]!;
      notAt[n] = seek(docs, doc, notAt[n]!);
      if (docs[notAt[n]!] === doc) continue next;
    }
    out[found++] = doc;
  }
  return out.subarray(0, found);
}

/** The number of clauses per document; excluded and ended documents get more than any query can require. */
function count(
  part: IndexPart,
  mode: Query["mode"],
  clauses: readonly Postings[],
  not: readonly Postings[],
  buffers: ScratchBuffers,
): Uint32Array {
  const counts = buffers.counts(part.documents);
  for (const { docs } of clauses) for (let i = 0; i < docs.length; i++) counts[docs[i]!]!++;
  for (const { docs } of not) for (let i = 0; i < docs.length; i++) counts[docs[i]!] = EXCLUDED;
  if (part.deadCount > 0) for (let doc = 0; doc < part.documents; doc++) if (part.dead[doc] === 1) counts[doc] = EXCLUDED;

  const least = mode === "all" ? clauses.length : Math.min(1, clauses.length);
  const out = buffers.docs(part.documents);
  let found = 0;
  for (let doc = 0; doc < part.documents; doc++) if (counts[doc]! >= least && counts[doc] !== EXCLUDED) out[found++] = doc;
  return out.subarray(0, found);
}
