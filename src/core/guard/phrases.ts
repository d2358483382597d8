// Whether a text speaks to the model that reads it instead of telling it something, as injected instructions do.
import { withoutStackedMarks } from "../text/combining-marks.ts";
import { markers } from "./markers.ts";
import { PHRASES, withPlainGaps } from "./phrase-table.ts";

/** Without these a text holds no phrase: apart, because those of scripts that write words with few characters are short. */
const ALPHABETIC = markers(PHRASES.flatMap(({ anchors }) => anchors).filter((anchor) => anchor.charCodeAt(0) < 0x400));
const OTHERS = markers(PHRASES.flatMap(({ anchors }) => anchors).filter((anchor) => anchor.charCodeAt(0) >= 0x400));
const OTHER_SCRIPTS = /[\u0400-\uFFFF]/;
/** Letters in other shapes: full width, and the mathematical alphabets. */
const SHAPED = /[\uFF01-\uFF5E]|\uD835[\uDC00-\uDFFF]/;

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
