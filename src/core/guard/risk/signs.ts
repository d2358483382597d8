// Signs in the structure of a text that hold in any language: how long it is, what it is made of, what is repeated, who seems to speak.

/** What stands before a colon where questions and answers are an example of what is wanted. */
const TURNS = new Set([
  "q",
  "a",
  "f",
  "r",
  "p",
  "в",
  "о",
  "问",
  "答",
  "प्रश्न",
  "उत्तर",
  "question",
  "answer",
  "frage",
  "antwort",
  "pregunta",
  "respuesta",
]);
/** Who speaks, as models are told it. */
const ROLES = new Set(["system", "user", "assistant", "human", "ai", "developer", "admin", "instruction", "instructions"]);
const ROLE_MARK = /\[inst\]|<\||###/;
/** Sentences whose letters are replaced. */
const DOTS = /(?:[.\-·•–]{1,6}[ /]{1,3}){6}/;
const HEX = /(?:[0-9a-f]{2} ){6}|(?:[01]{7,8} ){3}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#\d{2,5};/;
const BASE64 = /[A-Za-z0-9+/]{15,200}=/;
const TAG = /<\/?[a-z][^<>]{0,80}>/g;

/** What is counted on the way through a text, by its place in the counts; LEET are the places where a letter meets a digit, as in `7h3`. */
const [PLAIN, SMALL, CAPITAL, OTHER, DIGIT, QUESTION, EXCLAMATION, QUOTE, LINE, BRACKET, LEET] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const;
const COUNTS = 11;
const SIGNS: Readonly<Record<string, number>> = {
  "?": QUESTION,
  "!": EXCLAMATION,
  '"': QUOTE,
  "'": QUOTE,
  "\n": LINE,
  "{": BRACKET,
  "`": BRACKET,
  ";": BRACKET,
};
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z]/.test(char)) return SMALL;
  if (/[A-Z]/.test(char)) return CAPITAL;
  return /\d/.test(char) ? DIGIT : (SIGNS[char] ?? PLAIN);
});

function kindOf(code: number): number {
  if (code < 128) return ASCII[code]!;
  if (code === 0xff1f || code === 0x61f) return QUESTION;
  if (code === 0xff01) return EXCLAMATION;
  if (code === 0x201c || code === 0x201d || code === 0xab || code === 0x300c) return QUOTE;
  if (code >= 0xc0 && code < 0x250) return SMALL;
  return code >= 0x370 && (code < 0x2000 || code > 0x3040) && code < 0xff00 ? OTHER : PLAIN;
}

function countsOf(text: string): Int32Array {
  const counts = new Int32Array(COUNTS);
  let before: number = PLAIN;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    counts[kind] = counts[kind]! + 1;
    if (kind !== before) {
      if ((kind === DIGIT && before !== PLAIN && before <= CAPITAL) || (before === DIGIT && kind !== PLAIN && kind <= CAPITAL))
        counts[LEET] = counts[LEET]! + 1;
      before = kind;
    }
  }
  return counts;
}

/** In the order in which they are written. */
export const SIGN_COUNT = 21;

/** `text` is as it was written, `plain` in lower case with single blanks. Each sign is from 0 to 1; every repetition in a pattern is bounded. */
export function writeSigns(text: string, plain: string, into: Float32Array): void {
  const counts = countsOf(text);
  const of = (kind: number): number => counts[kind]!;
  const latin = of(SMALL) + of(CAPITAL);
  const letters = Math.max(1, latin + of(OTHER));
  const most = (count: number, at: number): number => Math.min(1, count / at);
  const last = plain.slice(-2);
  const { turns, roles } = speakersIn(plain);
  into.set([
    most(text.length, 100),
    most(text.length, 400),
    most(text.length, 2000),
    most(of(QUESTION), 1),
    most(of(QUESTION), 4),
    most(of(EXCLAMATION), 3),
    /[?？؟]/.test(last) ? 1 : 0,
    most(of(QUOTE), 2),
    most(of(QUOTE), 8),
    most(of(LINE), 6),
    most(of(BRACKET), 6),
    latin === 0 ? 0 : most((3 * of(CAPITAL)) / latin, 1),
    most(of(DIGIT), 20),
    most(of(LEET), 8),
    plain.includes("<") ? most(found(plain, TAG, 4), 4) : 0,
    plain.includes("://") ? 1 : 0,
    most(turns, 4),
    roles > 0 || ROLE_MARK.test(plain) ? 1 : 0,
    DOTS.test(text) ? 1 : 0,
    (of(DIGIT) > 1 && HEX.test(plain)) || (text.includes("=") && BASE64.test(text)) ? 1 : 0,
    (2 * Math.min(latin, of(OTHER))) / letters,
  ]);
}

/** How many of the words before a colon name a turn, or one who speaks to a model. */
function speakersIn(plain: string): { readonly turns: number; readonly roles: number } {
  let turns = 0;
  let roles = 0;
  for (const colon of [":", "："])
    for (let at = plain.indexOf(colon); at >= 0 && turns + roles < MOST_SPEAKERS; at = plain.indexOf(colon, at + 1)) {
      const word = plain.slice(Math.max(0, at - LONGEST_SPEAKER), at).trimEnd();
      const name = word.slice(word.lastIndexOf(" ") + 1);
      if (TURNS.has(name)) turns++;
      else if (ROLES.has(name)) roles++;
    }
  return { turns, roles };
}
const MOST_SPEAKERS = 8;
const LONGEST_SPEAKER = 14;

function found(text: string, pattern: RegExp, most: number): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count === most) break;
  return count;
}
