// Folding: text without case, accents and invisible characters, so that spelling habits do not hide a word.

/** Marks that accent a letter (Latin, Greek, Cyrillic), point it (Hebrew, Arabic) or stretch it, and characters nobody sees. */
const DROPPED =
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f\u00ad\u034f\u061c\u180b-\u180e\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\u{1f3fb}-\u{1f3ff}\u{e0000}-\u{e01ef}]+/gu;
/** Letters that no normalisation form takes apart. */
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
/** Sorting a long pile of marks on one letter takes quadratic time, and no language piles this many. */
const PILE = /(\p{M}{16})\p{M}+/gu;
/** One character can decompose into eighteen; a text made of such ones is cut, all others stay far below this. */
const EXPANSION = 4;
// oxlint-disable-next-line no-control-regex -- ASCII is what it says
const ASCII = /^[\0-\x7f]*$/;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** For ASCII this is lower case and nothing else, which is what makes most texts cheap. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .replace(PILE, "$1")
    .normalize("NFKD")
    .slice(0, EXPANSION * text.length + 256)
    .toLowerCase()
    .replace(DROPPED, "")
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFC");
}
