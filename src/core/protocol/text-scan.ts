// One linear pass over JSON text for what JSON.parse hides: repeated keys, lone surrogates, depth and number spelling.
import { Refusal } from "../errors.ts";

export interface TextFacts {
  /** Where each value of the outermost object stands in the text. */
  readonly spans: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** Paths of numbers written with a fraction or exponent, such as `attachments.0.size`. */
  readonly notIntegers: ReadonlySet<string>;
}

interface Frame {
  readonly keys: Set<string> | null;
  key: string;
  index: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

/** `text` has passed JSON.parse, which settled the grammar; `maxDepth` counts the outermost value as 1. */
export function scanText(text: string, maxDepth: number): TextFacts {
  if (!text.isWellFormed()) throw new Refusal("invalid_unicode", "The text holds a lone surrogate.");
  const spans = new Map<string, [number, number]>();
  const notIntegers = new Set<string>();
  const stack: Frame[] = [];
  let keyNext = false;
  let i = 0;

  while (i < text.length) {
    const code = text.charCodeAt(i);
    const top = stack.at(-1);
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        if (stack.length >= maxDepth)
          throw new Refusal("too_deep", `The text is nested deeper than ${maxDepth} levels at ${pathOf(stack)}.`);
        startValue(i);
        keyNext = code === 0x7b;
        stack.push({ keys: keyNext ? new Set() : null, key: "", index: 0 });
        i++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        stack.pop();
        i++;
        endValue(i);
        keyNext = false;
        break;
      case 0x2c: // ,
        if (top !== undefined) {
          if (top.keys === null) top.index++;
          else keyNext = true;
        }
        i++;
        break;
      case QUOTE: {
        const end = stringEnd(text, i);
        if (keyNext && top?.keys) {
          takeKey(top, top.keys, text.slice(i, end));
          keyNext = false;
        } else {
          startValue(i);
          endValue(end);
        }
        i = end;
        break;
      }
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
      case 0x3a: // :
        i++;
        break;
      default: {
        const end = code === 0x74 || code === 0x6e ? i + 4 : code === 0x66 ? i + 5 : numberEnd(i);
        startValue(i);
        endValue(end);
        i = end;
      }
    }
  }
  return { spans, notIntegers };

  function startValue(at: number): void {
    if (stack.length === 1) spans.set(stack[0]!.key, [at, at]);
  }
  function endValue(at: number): void {
    if (stack.length !== 1) return;
    const span = spans.get(stack[0]!.key);
    if (span) span[1] = at;
  }
  function numberEnd(at: number): number {
    NUMBER.lastIndex = at;
    const match = NUMBER.exec(text);
    if (match === null) throw new Refusal("invalid_json");
    const value = Number(match[0]);
    const integer = match[1] === undefined && match[2] === undefined;
    if (!Number.isFinite(value) || (integer && !Number.isSafeInteger(value))) {
      throw new Refusal("number_out_of_range", `The number at ${pathOf(stack)} is not finite or beyond 2^53-1.`);
    }
    if (!integer) notIntegers.add(pathOf(stack));
    return NUMBER.lastIndex;
  }
}

function takeKey(frame: Frame, keys: Set<string>, quoted: string): void {
  const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (key === "__proto__") throw new Refusal("forbidden_key");
  if (keys.has(key)) throw new Refusal("duplicate_key", `The key ${JSON.stringify(key)} stands twice in one object.`);
  keys.add(key);
  frame.key = key;
}

function pathOf(stack: readonly Frame[]): string {
  return stack.map((frame) => (frame.keys === null ? String(frame.index) : frame.key)).join(".");
}

/** The index after the closing quote; refuses escapes that name a lone surrogate or U+0000. */
function stringEnd(text: string, start: number): number {
  let highPending = false;
  let i = start + 1;
  for (;;) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH && text.charCodeAt(i + 1) === 0x75) {
      const unit = Number.parseInt(text.slice(i + 2, i + 6), 16);
      const low = (unit & 0xfc00) === 0xdc00;
      if (unit === 0 || low !== highPending) refuseUnicode(text.slice(i, i + 6));
      highPending = (unit & 0xfc00) === 0xd800;
      i += 6;
      continue;
    }
    if (highPending) refuseUnicode(text.slice(i - 6, i));
    if (code === QUOTE) return i + 1;
    i += code === BACKSLASH ? 2 : 1;
  }
}

function refuseUnicode(escape: string): never {
  throw new Refusal("invalid_unicode", `A string holds ${escape}, which is U+0000 or half of a surrogate pair.`);
}
