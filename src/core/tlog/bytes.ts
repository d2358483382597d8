// Conversions between bytes, text and numbers, with functions that browsers and Node share; every parser is strict.
import { malformed } from "./tlog-error.ts";

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Well-formed text from a string or from bytes; `what` names it in the error. */
export function textOf(input: string | Uint8Array, what: string, maxBytes: number): string {
  // A text has at least as many bytes as UTF-16 units, so a text that is far too long is refused before it is encoded.
  const bytes = typeof input === "string" && input.length <= maxBytes ? utf8(input) : input;
  if (bytes.length > maxBytes) throw malformed(`${what} is longer than ${maxBytes} bytes.`);
  if (typeof input === "string") {
    if (!input.isWellFormed()) throw malformed(`${what} has half of a surrogate pair in it, which is no text.`);
    return input;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(input);
  } catch {
    throw malformed(`${what} is not UTF-8.`);
  }
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** For public values only: the time it takes shows where they differ. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Eight bytes, big endian. */
export function uint64(number: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,15})$/;

/** A whole number in its only spelling, up to the largest safe integer. */
export function decimalOf(text: string, what: string): number {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number))
    throw malformed(`${what} is no whole number from 0 to ${Number.MAX_SAFE_INTEGER} in decimal digits without leading zeros.`);
  return number;
}

/** For arguments: reports a mistake of the caller, not bad input from outside. */
export function requireWhole(number: number, what: string): void {
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError(`${what} is ${number}, not a whole number from 0 on.`);
}
