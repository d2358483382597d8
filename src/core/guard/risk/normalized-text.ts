// A text in the form that the scorer reads: lower case, one blank for any white space, as character codes; with counts of its characters.
import { BLANKS } from "../../text/blank.ts";
import { withoutStackedMarks } from "../../text/combining-marks.ts";
import { AsciiReader } from "../ascii-reader.ts";

/** Indexes into the counts of characters. LEET counts the places where a letter is next to a digit, as in `7h3`. */
export const [PLAIN, SMALL, CAPITAL, OTHER, DIGIT, QUESTION, EXCLAMATION, QUOTE, LINE, BRACKET, DOT, COLON, MARK, LEET] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const;
const COUNTS = 14;
const SIGNS: Readonly<Record<string, number>> = {
  "?": QUESTION,
  "!": EXCLAMATION,
  '"': QUOTE,
  "'": QUOTE,
  "\n": LINE,
  "{": BRACKET,
  "`": BRACKET,
  ";": BRACKET,
  // Characters of Morse code, the colon after a speaker's name, and characters that begin tags, role marks and escapes.
  ".": DOT,
  "-": DOT,
  ":": COLON,
  "<": MARK,
  "[": MARK,
  "#": MARK,
  "&": MARK,
  "\\": MARK,
};
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z]/.test(char)) return SMALL;
  if (/[A-Z]/.test(char)) return CAPITAL;
  return /\d/.test(char) ? DIGIT : (SIGNS[char] ?? PLAIN);
});
const BLANK = 0x20;
/** In lower case; white space is a blank. */
const LOWER = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /\s/.test(char) ? BLANK : char.toLowerCase().charCodeAt(0);
});

const ROW_OF_BLANKS = new RegExp(`[${BLANKS}]{2,}|[[${BLANKS}]--[ ]]`, "gv");
/** Enough for any window of a text, also if normalisation makes it longer. */
const CAPACITY = 4096;

/** Much faster than `String.fromCharCode` with a thousand arguments. */
const UTF_16 = new TextDecoder("utf-16le");

/** The current text. The object is meant to be reused for many texts, so its content is valid until the next one. */
export class PlainText {
  /** With room for one more after the text. */
  codes = new Uint16Array(CAPACITY);
  length = 0;
  #runs = new Int32Array(CAPACITY);
  readonly counts = new Int32Array(COUNTS);
  readonly #histogram = new Int32Array(128);
  #text = "";
  #isAscii = true;
  readonly #ascii = new AsciiReader(CAPACITY);

  read(text: string): this {
    if (text.length >= this.codes.length) this.codes = new Uint16Array(2 * text.length);
    this.counts.fill(0);
    this.#text = "";
    this.#isAscii = this.#readAscii(text);
    if (!this.#isAscii) this.#readAny(text);
    return this;
  }

  /**
   * Whether the normalised text may contain this many characters of a kind. Always true for text beyond ASCII, because its characters are
   * counted before they are normalised.
   */
  mayHave(kind: number, count = 1): boolean {
    return !this.#isAscii || this.counts[kind]! >= count;
  }

  /** Memory for this many numbers, which is reused for the next text too. */
  roomForRuns(most: number): Int32Array {
    if (most > this.#runs.length) this.#runs = new Int32Array(2 * most);
    return this.#runs;
  }

  /** The text as a string. Few texts need it. */
  get text(): string {
    if (this.#text === "" && this.length > 0) this.#text = UTF_16.decode(this.codes.subarray(0, this.length));
    return this.#text;
  }

  /** Reads ASCII text, which most texts are, in one pass without an intermediate string. Returns false for other text. */
  #readAscii(text: string): boolean {
    const { codes, counts } = this;
    const ascii = this.#ascii.read(text);
    if (ascii === undefined) return false;
    const histogram = this.#histogram.fill(0);
    let length = 0;
    let last = BLANK;
    for (let at = 0; at < text.length; at++) {
      const code = ascii[at]!;
      histogram[code]!++;
      const lower = LOWER[code]!;
      codes[length] = lower;
      length += lower === BLANK && last === BLANK ? 0 : 1;
      last = lower;
    }
    this.length = last === BLANK && length > 0 ? length - 1 : length;
    for (let code = 0; code < histogram.length; code++) counts[KIND[code]!]! += histogram[code]!;
    if (counts[DIGIT]! > 0) for (let at = 1; at < text.length; at++) if (isLeet(KIND[ascii[at]!]!, KIND[ascii[at - 1]!]!)) counts[LEET]!++;
    return true;
  }

  #readAny(text: string): void {
    const plain = withoutStackedMarks(text).normalize("NFKC").toLowerCase().replaceAll(ROW_OF_BLANKS, " ").trim();
    if (plain.length >= this.codes.length) this.codes = new Uint16Array(2 * plain.length);
    for (let at = 0; at < plain.length; at++) this.codes[at] = plain.charCodeAt(at);
    this.length = plain.length;
    this.#text = plain;
    const { counts } = this;
    counts.fill(0);
    let before: number = PLAIN;
    for (let at = 0; at < text.length; at++) {
      const kind = kindOf(text.charCodeAt(at));
      counts[kind] = counts[kind]! + 1;
      if (isLeet(kind, before)) counts[LEET] = counts[LEET]! + 1;
      before = kind;
    }
  }
}

const isWritten = (kind: number): boolean => kind !== PLAIN && kind <= CAPITAL;
const isLeet = (kind: number, before: number): boolean => (kind === DIGIT && isWritten(before)) || (before === DIGIT && isWritten(kind));

function kindOf(code: number): number {
  if (code < 128) return KIND[code]!;
  if (code === 0xff1f || code === 0x61f) return QUESTION;
  if (code === 0xff01) return EXCLAMATION;
  if (code === 0x201c || code === 0x201d || code === 0xab || code === 0x300c) return QUOTE;
  if (code >= 0xc0 && code < 0x250) return SMALL;
  return code >= 0x370 && (code < 0x2000 || code > 0x3040) && code < 0xff00 ? OTHER : PLAIN;
}
