// Detects characters that are invisible or change the order of text, except where the writing system needs them.

const BIDI = "\\u202A-\\u202E\\u2066-\\u2069";
const MARKS = "\\u200E\\u200F\\u061C";
/** Invisible characters, and controls except tab, line feed, form feed and carriage return. */
const UNSEEN =
  `\\0-\\x08\\x0B\\x0E-\\x1F\\x7F-\\x9F\\xAD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200D\\u2060-\\u2065\\u206A-\\u206F` +
  `\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}${MARKS}`;

const ANY = new RegExp(`[${UNSEEN}${BIDI}]`, "u");
const ALL = new RegExp(`[${UNSEEN}${BIDI}]`, "gu");
const CONTROL = new RegExp(`[${BIDI}]`, "u");
const UNSEEN_ONE = new RegExp(`[${UNSEEN}]`, "u");
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}]/u;

/** Scripts whose letters join, where a joiner chooses the form of a letter. */
const JOINING = ["Arabic", "Syriac", "Mongolian", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu"]
  .concat(["Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan", "Thaana", "Javanese", "Balinese", "Meetei_Mayek"])
  .map((script) => `\\p{Script=${script}}`)
  .join("");
/** Scripts without spaces, where a zero-width space marks a possible line break. */
const SPACELESS = ["Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Han", "Hiragana", "Katakana"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/** Contexts in which an invisible character is a proper part of the text. */
const PROPER = new RegExp(
  [
    // Emoji: flags of regions, families and professions, and selectors that say whether a sign is drawn as a picture.
    "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,6}\\u{E007F}",
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F\\u{E007F}])\\u200D(?=\\p{Extended_Pictographic})",
    "(?<=[\\p{Emoji}\\p{S}\\p{P}\\p{Lo}])[\\uFE00-\\uFE0F]",
    "(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]",
    `(?<=[${JOINING}])[\\u200C\\u200D]`,
    "(?<=\\p{Script=Mongolian})[\\u180B-\\u180F]",
    `(?<=[${SPACELESS}])\\u200B(?=[${SPACELESS}])`,
    "(?<=\\p{L})\\xAD(?=\\p{L})",
    "(?<=[\\p{L}\\p{M}])\\u034F(?=[\\p{L}\\p{M}])",
    "[\\u115F\\u1160](?=[\\u1100-\\u11FF])|(?<=[\\u1100-\\u11FF])\\u1160",
    // A byte order mark before a text that was pasted.
    "^\\uFEFF",
  ].join("|"),
  "gmu",
);
/** A direction mark on its own, in a text that is written from right to left. */
const LONE_MARK = new RegExp(`(?<![${MARKS}])[${MARKS}](?![${MARKS}])`, "gu");

export interface Unseen {
  readonly hidden: boolean;
  readonly bidi: boolean;
  /** The text without these characters, as a reader sees it. */
  readonly seen: string;
}

export function unseenIn(text: string): Unseen {
  if (!ANY.test(text)) return { hidden: false, bidi: false, seen: text };
  const mixed = RIGHT_TO_LEFT.test(text);
  const rest = text.replaceAll(PROPER, "");
  return {
    hidden: UNSEEN_ONE.test(mixed ? rest.replaceAll(LONE_MARK, "") : rest),
    bidi: CONTROL.test(text) && !(mixed && text.split("\n").every(balanced)),
    seen: text.replaceAll(ALL, ""),
  };
}

/** Whether every change of direction in a line also ends in that line, and no override reverses the letters. */
function balanced(line: string): boolean {
  let embedded = 0;
  let isolated = 0;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 0x202d || code === 0x202e) return false;
    if (code === 0x202a || code === 0x202b) embedded++;
    else if (code === 0x202c && --embedded < 0) return false;
    else if (code >= 0x2066 && code <= 0x2068) isolated++;
    else if (code === 0x2069 && --isolated < 0) return false;
  }
  return embedded === 0 && isolated === 0;
}
