// The newest documents, kept in memory until there are enough of them for a file.
import { type Document, GRAM } from "../document.ts";
import { MAX_COUNT, type Part, type Postings, termKey } from "./part.ts";

/** What stands in memory of one term; `positions` stays empty for grams. */
export interface TermRows {
  readonly docs: number[];
  readonly titles: number[];
  readonly bodies: number[];
  readonly positions: number[];
}

export class Memtable implements Part {
  readonly terms = new Map<string, TermRows>();
  seqs = new Uint32Array(256);
  titleLengths = new Uint16Array(256);
  bodyLengths = new Uint16Array(256);
  dead = new Uint8Array(256);
  documents = 0;
  deadCount = 0;
  titleWords = 0;
  bodyWords = 0;
  readonly #numbers = new Map<number, number>();

  add(seq: number, { title, body, grams }: Document): void {
    const doc = this.documents++;
    if (doc === this.seqs.length) this.#grow();
    this.seqs[doc] = seq;
    this.#numbers.set(seq, doc);
    this.titleWords += this.titleLengths[doc] = this.#place(doc, title, 0);
    this.bodyWords += this.bodyLengths[doc] = this.#place(doc, body, 1);
    for (const gram of grams) {
      const { docs } = this.#rows(gram);
      if (docs.at(-1) !== doc) docs.push(doc);
    }
  }

  /** The number of a document that is still there. */
  locate(seq: number): number | undefined {
    return this.#numbers.get(seq);
  }

  kill(doc: number): void {
    this.dead[doc] = 1;
    this.deadCount++;
    this.titleWords -= this.titleLengths[doc] ?? 0;
    this.bodyWords -= this.bodyLengths[doc] ?? 0;
    this.#numbers.delete(this.seqs[doc] ?? 0);
  }

  postings(term: string): Postings | undefined {
    const rows = this.terms.get(termKey(term));
    return rows === undefined ? undefined : toPostings(rows);
  }

  frequency(term: string): number {
    return this.terms.get(termKey(term))?.docs.length ?? 0;
  }

  positions(term: string): Uint32Array {
    return Uint32Array.from(this.terms.get(termKey(term))?.positions ?? []);
  }

  *wordsFrom(start: string): Iterable<[string, Postings]> {
    for (const [term, rows] of this.terms) if (term.startsWith(start) && !term.startsWith(GRAM)) yield [term, toPostings(rows)];
  }

  /** Answers how many words there were. */
  #place(doc: number, words: readonly string[], field: 0 | 1): number {
    let count = 0;
    for (const [position, word] of words.entries()) {
      if (word === "") continue;
      count++;
      const rows = this.#rows(word);
      let last = rows.docs.length - 1;
      if (rows.docs[last] !== doc) {
        last = rows.docs.push(doc) - 1;
        rows.titles.push(0);
        rows.bodies.push(0);
      }
      const counts = field === 0 ? rows.titles : rows.bodies;
      counts[last] = (counts[last] ?? 0) + 1;
      rows.positions.push(position);
    }
    return Math.min(count, MAX_COUNT);
  }

  #rows(term: string): TermRows {
    const key = termKey(term);
    let rows = this.terms.get(key);
    if (rows === undefined) this.terms.set(key, (rows = { docs: [], titles: [], bodies: [], positions: [] }));
    return rows;
  }

  #grow(): void {
    const size = this.seqs.length * 2;
    const grown = <A extends Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    this.seqs = grown(new Uint32Array(size), this.seqs);
    this.titleLengths = grown(new Uint16Array(size), this.titleLengths);
    this.bodyLengths = grown(new Uint16Array(size), this.bodyLengths);
    this.dead = grown(new Uint8Array(size), this.dead);
  }
}

const toPostings = ({ docs, titles, bodies }: TermRows): Postings => ({
  docs: Uint32Array.from(docs),
  titles: Uint16Array.from(titles),
  bodies: Uint16Array.from(bodies),
});
