// From a text to its meaning: the sum of the rows of its pieces, with more weight for the first and the repeated ones. No model is run.
import { isAscii } from "../fold.ts";
import { withoutStackedMarks } from "../../text/combining-marks.ts";
import type { MeaningTable } from "./table.ts";
import { UNKNOWN_PIECE } from "./wordpieces.ts";

export interface Meaning {
  /** A direction of length UNIT: 128 numbers of eight bits. */
  readonly vector: Int8Array;
  /** About 1.0 to 1.2 in English, 1.6 and more if the table knows few of the words, 0 for a text without words. */
  readonly piecesPerWord: number;
  /** 0 to 1: the share of its pieces that the table knows; emoji and other symbols are unknown pieces. */
  readonly knownShare: number;
}

/** The length of a direction before its numbers are rounded, chosen so that few are cut at 127. */
const UNIT = 350;
/** Texts say what they are about at the beginning: this many pieces count, the first of them more. */
const MAX_WORDPIECES = 512;
const LEAD = 32;
/** No readable text has a longer piece. */
const CHARS = 12 * MAX_WORDPIECES;

/** Classes of ASCII characters: separator (0), part of a word (1), a sign of its own (2). */
const KIND = Uint8Array.from({ length: 128 }, (_, code) =>
  code < 33 || code > 126 ? 0 : /[a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 2,
);
const WORD = /\p{Script=Han}|\p{P}|[$+<=>^`|~]|[^\s\p{P}\p{Script=Han}$+<=>^`|~]+/gu;
const ACCENTS = /\p{Mn}+/gu;
const UNSEEN = /[\p{Cc}\p{Cf}\ufffd]/gu;
const LETTER = /[\p{L}\p{N}]/u;
const HAN = /\p{Script=Han}/u;
/** Scripts in which each character is a piece have words of two characters. */
const HAN_WORDS = 0.5;

export class Embedder {
  readonly #table: MeaningTable;
  /** Weights by position in the text, and by how often a piece occurs in it. */
  readonly #leads = Float32Array.from({ length: MAX_WORDPIECES }, (_, place) => 1 + 1 / (1 + (place / LEAD) ** 2));
  readonly #repeats = Float32Array.from({ length: MAX_WORDPIECES + 1 }, (_, count) => (count === 0 ? 0 : (1 + Math.log(count)) / count));
  /** For the current text, by the number of a piece; the counts are reset to 0 after each text. */
  readonly #counts: Int32Array;
  readonly #weights: Float32Array;
  readonly #seen = new Int32Array(MAX_WORDPIECES);
  /** For each distinct piece: where its row begins, and by what its row is multiplied. */
  readonly #starts = new Int32Array(MAX_WORDPIECES);
  readonly #factors = new Float64Array(MAX_WORDPIECES);
  readonly #sum: Float64Array;
  #pieces = 0;
  #distinct = 0;

  constructor(table: MeaningTable) {
    this.#table = table;
    this.#counts = new Int32Array(table.scales.length);
    this.#weights = new Float32Array(table.scales.length);
    this.#sum = new Float64Array(table.dimensions);
  }

  get dimensions(): number {
    return this.#table.dimensions;
  }

  /** Of title and body, in this order, with a blank between them. A text without a word has no direction: all numbers are 0. */
  meaningOf(text: string): Meaning {
    this.#pieces = 0;
    this.#distinct = 0;
    const beginning = text.slice(0, CHARS);
    const piecesPerWord = isAscii(beginning) ? this.#readAscii(beginning) : this.#readAny(beginning);
    const knownShare = 1 - this.#counts[UNKNOWN_PIECE]! / Math.max(1, this.#pieces);
    this.#addUp();
    return { vector: this.#rounded(), piecesPerWord, knownShare };
  }

  #readAscii(text: string): number {
    let words = 0;
    let parts = 0;
    for (let at = 0; at < text.length && this.#pieces < MAX_WORDPIECES;) {
      const kind = KIND[text.charCodeAt(at)];
      let end = at + 1;
      if (kind === 1) while (end < text.length && KIND[text.charCodeAt(end)] === 1) end++;
      if (kind !== 0) {
        const count = this.#table.pieces.cut(text, at, end, this.#put);
        if (kind === 1) {
          words++;
          parts += count;
        }
      }
      at = end;
    }
    return parts / Math.max(1, words);
  }

  #readAny(text: string): number {
    const plain = withoutStackedMarks(text.toLowerCase())
      .normalize("NFD")
      .replace(ACCENTS, "")
      .replace(UNSEEN, (char) => (char === "\n" || char === "\t" || char === "\r" ? " " : ""));
    let words = 0;
    let parts = 0;
    for (const { 0: word, index } of plain.matchAll(WORD)) {
      if (this.#pieces >= MAX_WORDPIECES) break;
      const count = this.#table.pieces.cut(plain, index, index + word.length, this.#put);
      if (!LETTER.test(word)) continue;
      words += HAN.test(word) ? HAN_WORDS : 1;
      parts += count;
    }
    return parts / Math.max(1, words);
  }

  /** Made once, since it is called for every piece. */
  readonly #put = (piece: number): void => {
    if (this.#pieces === MAX_WORDPIECES) return;
    if (this.#counts[piece] === 0) {
      this.#seen[this.#distinct++] = piece;
      this.#weights[piece] = 0;
    }
    this.#counts[piece] = this.#counts[piece]! + 1;
    this.#weights[piece] = this.#weights[piece]! + this.#leads[this.#pieces++]!;
  };

  #addUp(): void {
    const { dimensions, rows, scales } = this.#table;
    const starts = this.#starts;
    const factors = this.#factors;
    const distinct = this.#distinct;
    for (let nth = 0; nth < distinct; nth++) {
      const piece = this.#seen[nth]!;
      if (scales[piece] === 0) this.#table.unpack(piece);
      starts[nth] = piece * dimensions;
      factors[nth] = this.#weights[piece]! * this.#repeats[this.#counts[piece]!]! * scales[piece]!;
      this.#counts[piece] = 0;
    }
    // Eight columns at a time, whose sums stay in registers; the file format guarantees a multiple of 32.
    for (let at = 0; at < dimensions; at += 8) {
      let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let nth = 0; nth < distinct; nth++) {
        const from = starts[nth]! + at;
        const factor = factors[nth]!;
        a += factor * rows[from]!;
        b += factor * rows[from + 1]!;
        c += factor * rows[from + 2]!;
        d += factor * rows[from + 3]!;
        e += factor * rows[from + 4]!;
        f += factor * rows[from + 5]!;
        g += factor * rows[from + 6]!;
        h += factor * rows[from + 7]!;
      }
      this.#sum.set([a, b, c, d, e, f, g, h], at);
    }
  }

  #rounded(): Int8Array {
    const sum = this.#sum;
    let squares = 0;
    for (let at = 0; at < sum.length; at++) squares += sum[at]! * sum[at]!;
    const factor = squares > 0 ? UNIT / Math.sqrt(squares) : 0;
    const vector = new Int8Array(sum.length);
    for (let at = 0; at < sum.length; at++) vector[at] = Math.max(-127, Math.min(127, Math.round(sum[at]! * factor)));
    return vector;
  }
}
