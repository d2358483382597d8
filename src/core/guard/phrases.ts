// Detects phrases that address the model that reads them, as injected instructions do.
import { withoutStackedMarks } from "../text/combining-marks.ts";
import { markers } from "./multi-pattern-search.ts";
import { PHRASES, withPlainGaps } from "./phrase-table.ts";

/**
 * A text without any of these literals contains no phrase. There are two searches, because literals in scripts that write a word with
 * few characters are short.
 */
const ALPHABETIC = markers(PHRASES.flatMap(({ anchors }) => anchors).filter((anchor) => anchor.charCodeAt(0) < 0x400));
const OTHERS = markers(PHRASES.flatMap(({ anchors }) => anchors).filter((anchor) => anchor.charCodeAt(0) >= 0x400));
const OTHER_SCRIPTS = /[\u0400-\uFFFF]/;
/** Letters in other forms: raised, lowered, in circles or squares, full width, and the mathematical alphabets. */
const SHAPED = /[\u1D2C-\u1D6A\u2070-\u209C\u2100-\u214F\u24B6-\u24E9\uFF01-\uFF5E]|\uD835[\uDC00-\uDFFF]|\uD83C[\uDD30-\uDD49]/;

const NOT_ASCII = /[^\0-\x7F]/;

/** `text` as a reader sees it. */
export function isInstructive(text: string): boolean {
  const foreign = OTHER_SCRIPTS.test(text);
  const plain = (foreign && SHAPED.test(text) ? withoutStackedMarks(text).normalize("NFKC") : text).toLowerCase();
  if (!ALPHABETIC.within(plain, 0, plain.length) && !(foreign && OTHERS.within(plain, 0, plain.length))) return false;
  const gaps = NOT_ASCII.test(plain) ? withPlainGaps(plain) : plain;
  return PHRASES.some(
    ({ anchors, pattern, words }) => anchors.some((anchor) => plain.includes(anchor)) && pattern.test(words === true ? gaps : plain),
  );
}
