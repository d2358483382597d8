// Postings and positions that are found one document after the other.
import type { Positions, Postings } from "./index-part.ts";
import { Numbers } from "./numbers.ts";

export class FoundPostings {
  readonly #docs = new Numbers();
  readonly #titles = new Numbers();
  readonly #bodies = new Numbers();

  add(doc: number, title: number, body: number): void {
    this.#docs.push(doc);
    this.#titles.push(title);
    this.#bodies.push(body);
  }

  postings(): Postings {
    const { length, items } = this.#docs;
    const counts = ({ items: counted }: Numbers): Uint16Array => new Uint16Array(counted.subarray(0, length));
    return { docs: items.slice(0, length), titles: counts(this.#titles), bodies: counts(this.#bodies) };
  }
}

export class FoundPositions implements Positions {
  from = 0;
  readonly #starts = new Numbers();
  readonly #list = new Numbers();

  /** How many there are. */
  get length(): number {
    return this.#list.length;
  }

  get list(): Uint32Array {
    return this.#list.items;
  }

  /** Those of the next posting. */
  add(positions: ArrayLike<number>, count: number): void {
    this.#starts.push(this.#list.length);
    for (let i = 0; i < count; i++) this.#list.push(positions[i]!);
  }

  read(posting: number): boolean {
    this.from = this.#starts.items[posting]!;
    return true;
  }
}
