// Folding: removes case, accents and invisible characters, so that spelling variants match.
import { withoutStackedMarks } from "../text/combining-marks.ts";

/**
 * Marks that accent a letter (Latin, Greek, Cyrillic) or point it (Hebrew, Arabic), and invisible characters. Kept: the kana voicing marks,
 * which make another letter, and the zero-width space, which separates words.
 */
const DROPPED =
  /[[[\p{M}&&[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]]\p{Cf}\p{Variation_Selector}\p{Emoji_Modifier}\u0640]--[\u3099\u309a\u200b]]+/gv;
/** Letters that no normalisation form decomposes. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ı: "i",
  ĸ: "k",
  ς: "σ",
  "’": "'",
  ʼ: "'",
  "‘": "'",
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
/** One character can decompose into eighteen. A text of such characters is cut here; all others stay far below. */
const EXPANSION = 4;
// oxlint-disable-next-line no-control-regex -- ASCII is what it says
const ASCII = /^[\0-\x7f]*$/;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** For ASCII this is only lower case, which makes most texts cheap. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const plain = withoutStackedMarks(text)
    .normalize("NFKD")
    .slice(0, EXPANSION * text.length + 256)
    .toLowerCase()
    .replace(DROPPED, "")
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter);
  // Marks that a dropped character had separated are adjacent now.
  return withoutStackedMarks(plain).normalize("NFC");
}
