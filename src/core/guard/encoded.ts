// Detects encoded text: long runs of base64 or hex, encoded sentences, rows of escapes.
import { fromBase64url, fromHex } from "../protocol/encoding.ts";
import { endOfRun, nextRun } from "./token-runs.ts";

/** Longer than keys, hashes, signatures and other identifiers. */
const LONG = 160;
/** Shorter than a meaningful sentence. */
const SHORT = 24;
/** How much of a run is decoded: its beginning shows whether it is text. */
const LOOKED_AT = 96;
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const SPACE = 0x20;
const isControl = (byte: number): boolean => (byte < SPACE && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f;
/** Twelve or more characters in a row that are written as escapes or as bits. */
const ESCAPES =
  /(?:%[0-9a-fA-F]{2}){12}|(?:\\x[0-9a-fA-F]{2}){12}|(?:\\u[0-9a-fA-F]{4}){12}|(?:&#x?[0-9a-fA-F]{2,6};){12}|(?:[01]{8}[ \n]){12}/;

export function hasEncoded(text: string): boolean {
  for (let start = nextRun(text, SHORT); start >= 0;) {
    const end = endOfRun(text, start);
    if (isEncoded(text.slice(start, end))) return true;
    start = nextRun(text, SHORT, end);
  }
  return ["%", "\\", "&#", "01"].some((mark) => text.includes(mark)) && ESCAPES.test(text);
}

function isEncoded(run: string): boolean {
  const hex = HEX.test(run);
  // Lines of dashes and long names are long runs too, but do not have small letters, capitals and digits together.
  if (run.length >= LONG && /[0-9]/.test(run) && /[a-z]/i.test(run) && (hex || (/[a-z]/.test(run) && /[A-Z]/.test(run)))) return true;
  const start = run.slice(0, LOOKED_AT);
  return isSentence(hex ? fromHex(start) : fromBase64url(start));
}

const UTF8 = new TextDecoder("utf-8");

/** One in a hundred million runs of random bytes looks like text. */
function isSentence(bytes: Uint8Array): boolean {
  if (!bytes.includes(SPACE) || bytes.some(isControl)) return false;
  // The cut may be in the middle of a character.
  const text = UTF8.decode(bytes).replace(/\uFFFD$/, "");
  return /\p{L}{2}/u.test(text) && !/[\uFFFD\p{Cn}\p{Co}\p{Cc}]/u.test(text.replaceAll(/[\t\n\r]/g, ""));
}
