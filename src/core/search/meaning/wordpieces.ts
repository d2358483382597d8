// The vocabulary of the meaning table: words cut into the longest pieces it knows, found by rolling hashes without making substrings.

/** The piece for every word that cannot be cut into known pieces: two such words need not have anything in common. */
export const UNKNOWN_PIECE = 100;
/** Such a word counts as this many pieces. */
const UNKNOWN_PIECES = 3;
/** A longer word is unknown. */
const WORD_CHARS = 100;

/** Hashes begin with one value at the start of a word and with another inside a word: `##ing` is not the same piece as `ing`. */
const WORD_HASH = 0x811c9dc5 | 0;
const PART_HASH = 0x2f0b4c47 | 0;
const WORD_CHECK = 0x1b873593 | 0;
const PART_CHECK = ~WORD_CHECK;

const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);
const nextHash = (hash: number, code: number): number => Math.imul(hash ^ code, 16777619);
const nextCheck = (check: number, code: number): number => Math.imul(check + code, 0x5bd1e995) ^ (check >>> 13);

export class WordPieces {
  /** The longest of them, in characters. */
  readonly #longest: number;
  readonly #mask: number;
  /** Number + 1 of the piece in each slot, 0 if it is empty, and the second hash by which the piece is recognised. */
  readonly #numbers: Int32Array;
  readonly #checks: Int32Array;
  readonly #found = new Int32Array(WORD_CHARS);
  /** Both hashes of the beginnings of the present word, by their length. */
  readonly #hashes = new Int32Array(WORD_CHARS + 1);
  readonly #checksOfWord = new Int32Array(WORD_CHARS + 1);

  /** In the order of their numbers; a piece that continues a word starts with `##`. */
  constructor(pieces: readonly string[]) {
    // At most a quarter full, so that most lookups end at the first slot.
    const size = 2 ** Math.ceil(Math.log2(4 * pieces.length));
    this.#mask = size - 1;
    this.#numbers = new Int32Array(size);
    this.#checks = new Int32Array(size);
    let longest = 0;
    for (const [number, piece] of pieces.entries()) {
      const part = piece.length > 2 && piece.startsWith("##");
      const text = part ? piece.slice(2) : piece;
      longest = Math.max(longest, text.length);
      let hash = part ? PART_HASH : WORD_HASH;
      let check = part ? PART_CHECK : WORD_CHECK;
      for (let at = 0; at < text.length; at++) {
        hash = nextHash(hash, text.charCodeAt(at));
        check = nextCheck(check, text.charCodeAt(at));
      }
      let place = this.#placeOf(hash);
      while (this.#numbers[place] !== 0) place = (place + 1) & this.#mask;
      this.#numbers[place] = number + 1;
      this.#checks[place] = check;
    }
    this.#longest = longest;
  }

  /** Passes the pieces of a word of `text` to `put`, all of them or none; returns their number. */
  cut(text: string, from: number, to: number, put: (piece: number) => void): number {
    const found = to - from > WORD_CHARS ? -1 : this.#cut(text, from, to);
    if (found < 0) {
      put(UNKNOWN_PIECE);
      return UNKNOWN_PIECES;
    }
    for (let at = 0; at < found; at++) put(this.#found[at]!);
    return found;
  }

  /** The longest piece at each position; -1 if there is none. Most words are one piece, so the longest one is looked up first. */
  #cut(text: string, from: number, to: number): number {
    const hashes = this.#hashes;
    const checks = this.#checksOfWord;
    let count = 0;
    for (let at = from; at < to;) {
      let hash = at === from ? WORD_HASH : PART_HASH;
      let check = at === from ? WORD_CHECK : PART_CHECK;
      const most = Math.min(to - at, this.#longest);
      for (let length = 1; length <= most; length++) {
        const code = lower(text.charCodeAt(at + length - 1));
        hashes[length] = hash = nextHash(hash, code);
        checks[length] = check = nextCheck(check, code);
      }
      let length = most;
      let piece = -1;
      while (length > 0 && (piece = this.#numberOf(hashes[length]!, checks[length]!)) < 0) length--;
      if (piece < 0) return -1;
      this.#found[count++] = piece;
      at += length;
    }
    return count;
  }

  #placeOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#mask;
  }

  #numberOf(hash: number, check: number): number {
    for (let place = this.#placeOf(hash); this.#numbers[place] !== 0; place = (place + 1) & this.#mask)
      if (this.#checks[place] === check) return this.#numbers[place]! - 1;
    return -1;
  }
}
