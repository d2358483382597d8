// One linear pass over JSON text for faults that JSON.parse hides: repeated keys, lone surrogates, depth and number spelling.
import { type ErrorCode, Refusal } from "../errors.ts";
import { firstCodePoints } from "./encoding.ts";

/**
 * More keys and values than 32 KiB of `data` and all other fields of a payload can contain; no valid request has more. A megabyte of them
 * would take 0.2 s to scan.
 */
const MOST_VALUES = 25_000;
/** For an object of few fields. */
export const FEW_VALUES = 100;

export interface TextFacts {
  /** The position of each value of the outermost object in the text. */
  readonly spans: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** Paths of numbers written with a fraction or exponent, such as `attachments.0.size`; those below three levels are left out. */
  readonly notIntegers: ReadonlySet<string>;
  /** White space between, before and after the values. */
  readonly whiteSpace: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NUMBER = /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const NOTED_LEVELS = 3;
/** Keys are chosen by the sender and may be as long as the text, so paths show only the start of each. */
const SHOWN_CHARS = 40;

/**
 * Counts keys and values in a text before it is parsed: a megabyte of empty objects takes long to parse and longer to scan, and no valid
 * request contains it. If the text is JSON, the count is exact; `what` and `hint` are for the refusal.
 */
export function requireFewValues(text: string, what: string, most = MOST_VALUES, hint?: string): void {
  // Each key and value takes a character at least.
  if (text.length < most) return;
  let values = 1;
  let [open, deepest] = [0, 0];
  // The scan stops when there are too many values. If the text is nested deeply, it goes on to find out whether all brackets are closed.
  for (let i = 0; i < text.length && (values <= most || deepest > DEEP); i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    // A comma precedes a value, a colon follows a key, and an opening bracket precedes the first value if there is one.
    else if (code === COMMA || code === COLON) values++;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      deepest = Math.max(deepest, ++open);
      if (!isEmpty(text, i)) values++;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) open--;
  }
  if (values <= most) return;
  if (deepest > DEEP)
    throw open === 0
      ? new Refusal("too_deep", `${what} is nested too deeply.`)
      : new Refusal("invalid_json", `${what} is not JSON: its brackets are not closed.`);
  throw new Refusal("invalid_field", `${what} holds more than ${most} keys and values.`, {
    hint: hint ?? `Send at most ${most} keys and values; join short ones into one text, or attach what is long.`,
  });
}

/** Deeper than anything here may be nested. */
const DEEP = 100;

/** The index of the closing quote: the first one without a backslash before it, or with an even number of them. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a bracket is closed at once, without content. */
function isEmpty(text: string, open: number): boolean {
  let next = open + 1;
  while (isWhiteSpace(text.charCodeAt(next))) next++;
  const code = text.charCodeAt(next);
  return code === CLOSE_ARRAY || code === CLOSE_OBJECT;
}

const isWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** `text` has passed JSON.parse, so its grammar is right; `maxDepth` counts the outermost value as 1. */
export function scanText(text: string, maxDepth: number): TextFacts {
  if (!text.isWellFormed()) throw new Refusal("invalid_unicode", "The text holds a lone surrogate.");
  const scan = new Scan(text, maxDepth);
  scan.value();
  scan.end();
  return scan;
}

class Scan implements TextFacts {
  readonly spans = new Map<string, readonly [number, number]>();
  readonly notIntegers = new Set<string>();
  whiteSpace = 0;
  readonly #text: string;
  readonly #maxDepth: number;
  /** The key or index of each open object or array. */
  readonly #path: (string | number)[] = [];
  #at = 0;
  /** The next quote and the next escape, as far as they were searched for. */
  #quote = -1;
  #escape = -1;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  value(): void {
    switch (this.#next()) {
      case OPEN_OBJECT:
        return this.#object();
      case OPEN_ARRAY:
        return this.#array();
      case QUOTE:
        return this.#string();
      case 0x74: // true
      case 0x6e: // null
        this.#at += 4;
        return;
      case 0x66: // false
        this.#at += 5;
        return;
      default:
        this.#number();
    }
  }

  /** After the outermost value there is only white space. */
  end(): void {
    this.whiteSpace += this.#text.length - this.#at;
  }

  /** The next character that is not white space, without consuming it. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (!isWhiteSpace(code)) return code;
      this.#at++;
      this.whiteSpace++;
    }
  }

  #enter(): number {
    if (this.#path.length >= this.#maxDepth) throw this.#refusal("too_deep", "is nested too deeply");
    this.#at++;
    return this.#path.push("") - 1;
  }

  #leave(): void {
    this.#at++;
    this.#path.pop();
  }

  #object(): void {
    const level = this.#enter();
    const keys = new Set<string>();
    while (this.#next() !== CLOSE_OBJECT) {
      if (this.#next() === COMMA) this.#at++;
      const key = this.#key(level, keys);
      this.#next();
      this.#at++; // the colon
      this.#next();
      const start = this.#at;
      this.value();
      if (level === 0) this.spans.set(key, [start, this.#at]);
    }
    this.#leave();
  }

  #array(): void {
    const level = this.#enter();
    for (let index = 0; this.#next() !== CLOSE_ARRAY; index++) {
      if (index > 0) this.#at++; // the comma
      this.#path[level] = index;
      this.value();
    }
    this.#leave();
  }

  #key(level: number, keys: Set<string>): string {
    this.#next();
    const start = this.#at;
    this.#path[level] = "(key)";
    this.#string();
    const quoted = this.#text.slice(start, this.#at);
    const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    this.#path[level] = key;
    if (key === "__proto__") throw this.#refusal("forbidden_key", "is not allowed as a key");
    if (keys.has(key)) throw this.#refusal("duplicate_key", "stands twice in one object");
    keys.add(key);
    return key;
  }

  /** Consumes a string, with both quotes; refuses escapes of a lone surrogate or U+0000. */
  #string(): void {
    const text = this.#text;
    let highPending = false;
    for (let i = this.#at + 1; ;) {
      // Most of a string is plain, and searching for special characters is many times faster than checking each one.
      if (this.#quote < i) this.#quote = text.indexOf('"', i);
      if (this.#escape < i) this.#escape = from(text.indexOf("\\", i));
      const end = Math.min(this.#quote, this.#escape);
      const unit = text.charCodeAt(end + 1) === 0x75 && end === this.#escape ? escapedUnit(text, end + 2) : undefined;
      if (unit === undefined || end > i) {
        if (highPending) throw this.#refusal("invalid_unicode", "holds half of a surrogate pair");
        if (end === this.#quote) {
          this.#at = end + 1;
          return;
        }
      }
      if (unit === 0) throw this.#refusal("invalid_unicode", "holds U+0000");
      if (unit !== undefined) {
        if (((unit & 0xfc00) === 0xdc00) !== highPending) throw this.#refusal("invalid_unicode", "holds half of a surrogate pair");
        highPending = (unit & 0xfc00) === 0xd800;
      }
      i = end + (unit === undefined ? 2 : 6);
    }
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) throw new Refusal("invalid_json");
    const value = Number(match[0]);
    const integer = match[1] === undefined && match[2] === undefined;
    if (!Number.isFinite(value)) throw this.#refusal("number_out_of_range", "is too large for a number");
    if (integer && !Number.isSafeInteger(value)) throw this.#refusal("number_out_of_range", "is an integer beyond 2^53-1");
    if (!integer && this.#path.length <= NOTED_LEVELS) this.notIntegers.add(this.#where());
    this.#at = NUMBER.lastIndex;
  }

  #where(): string {
    return this.#path.map((step) => (typeof step === "number" ? step : shownKey(step))).join(".");
  }

  #refusal(code: ErrorCode, words: string): Refusal {
    const field = this.#where();
    return new Refusal(code, `\`${field}\` ${words}.`, { details: { field } });
  }
}

/** The UTF-16 unit of four hexadecimal digits. */
const escapedUnit = (text: string, at: number): number =>
  (hexDigit(text.charCodeAt(at)) << 12) |
  (hexDigit(text.charCodeAt(at + 1)) << 8) |
  (hexDigit(text.charCodeAt(at + 2)) << 4) |
  hexDigit(text.charCodeAt(at + 3));

/** Digits have their value in the lower four bits; A and a have 1 there, and the bit 0x40 besides. */
const hexDigit = (code: number): number => (code & 0xf) + (code >= 0x40 ? 9 : 0);

/** The index of the match, or one after the end of every text. */
const from = (index: number): number => (index === -1 ? Infinity : index);

const shownKey = (key: string): string => (key.length <= SHOWN_CHARS ? key : `${firstCodePoints(key, SHOWN_CHARS)}...`);
