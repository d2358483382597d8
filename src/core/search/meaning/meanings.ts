// The meanings of many messages. The nearest ones are found by the signs of their numbers first, and then compared exactly.
import { bitCount, cosineAt, WORD_BITS, writeSignBits } from "./vector-similarity.ts";

export interface NearMeaning {
  /** The number of its row, counted from 0 in the order of adding. */
  readonly row: number;
  readonly cosine: number;
}

/** This many with the most signs in common are compared exactly; they include 97 in 100 of the ten nearest. */
const COMPARED = 400;
const FIRST_ROWS = 1024;
/** Farther than any distance. */
const UNWANTED = 0xffff;

/** 128 bytes per row for its numbers, and 16 for their signs, which are made from them. */
export class Meanings {
  readonly #dimensions: number;
  readonly #words: number;
  #vectors: Int8Array;
  #signs: Uint32Array;
  #distances: Uint16Array;
  #rows = 0;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#words = Math.ceil(dimensions / WORD_BITS);
    this.#vectors = new Int8Array(FIRST_ROWS * dimensions);
    this.#signs = new Uint32Array(FIRST_ROWS * this.#words);
    this.#distances = new Uint16Array(FIRST_ROWS);
  }

  get rows(): number {
    return this.#rows;
  }

  add(vector: Int8Array): number {
    if (this.#rows === this.#distances.length) this.#grow();
    const row = this.#rows++;
    this.#vectors.set(vector, row * this.#dimensions);
    writeSignBits(vector, this.#signs, row * this.#words);
    return row;
  }

  /** The nearest of the `wanted` rows, nearest first; among equals the newest. A text without direction is near to nothing. */
  nearest(vector: Int8Array, most: number, wanted: (row: number) => boolean = () => true): NearMeaning[] {
    const found: NearMeaning[] = [];
    for (const row of this.#bySigns(vector, Math.max(most, COMPARED), wanted)) {
      const cosine = cosineAt(vector, this.#vectors, row * this.#dimensions);
      if (cosine > 0) found.push({ row, cosine });
    }
    return found.sort((a, b) => b.cosine - a.cosine || b.row - a.row).slice(0, most);
  }

  /** Counts rows by distance, then collects those within the distance that `most` rows have: nothing is sorted. */
  #bySigns(vector: Int8Array, most: number, wanted: (row: number) => boolean): number[] {
    const asked = new Uint32Array(this.#words);
    writeSignBits(vector, asked, 0);
    const counts = new Uint32Array(this.#dimensions + 1);
    for (let row = 0; row < this.#rows; row++) {
      if (!wanted(row)) {
        this.#distances[row] = UNWANTED;
        continue;
      }
      let distance = 0;
      for (let word = 0, at = row * this.#words; word < this.#words; word++) distance += bitCount(this.#signs[at++]! ^ asked[word]!);
      this.#distances[row] = distance;
      counts[distance] = counts[distance]! + 1;
    }
    let farthest = 0;
    for (let within = 0; farthest < this.#dimensions; farthest++) if ((within += counts[farthest]!) >= most) break;
    const near: number[] = [];
    const last: number[] = [];
    for (let row = this.#rows - 1; row >= 0; row--) {
      if (this.#distances[row]! < farthest) near.push(row);
      else if (this.#distances[row] === farthest && last.length < most) last.push(row);
    }
    return [...near, ...last].slice(0, most);
  }

  #grow(): void {
    const rows = 2 * this.#rows;
    this.#vectors = grown(this.#vectors, new Int8Array(rows * this.#dimensions));
    this.#signs = grown(this.#signs, new Uint32Array(rows * this.#words));
    this.#distances = new Uint16Array(rows);
  }
}

function grown<Numbers extends Int8Array | Uint32Array>(before: Numbers, after: Numbers): Numbers {
  after.set(before);
  return after;
}
