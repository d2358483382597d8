// Letters that look like Latin ones: a reader takes a word that is written with them for a Latin word.

/** Cyrillic, Greek and Armenian letters, each followed by the Latin letter that it looks like. */
const OF_OTHER_SCRIPTS = pairs(
  "аa еe оo рp сc хx уy іi јj ѕs һh ԁd ԛq ԝw ѵv ӏl ғf АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ԚQ ԜW ѴV ӀI",
  "αa οo νv ρp τt υu κk ιi εe γy ηn ωw ϲc ϳj ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC",
  "օo ոn սu հh ցg զq",
);
/** Latin letters in other forms: small capitals, and the round a and g. No language is written with them. */
const SMALL_CAPITALS = pairs("ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ꞯq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ɑa ɡg");

const LATIN_LETTERS = new Map([...OF_OTHER_SCRIPTS, ...SMALL_CAPITALS]);
const OTHERS = [...OF_OTHER_SCRIPTS.keys()].join("");
const SMALL = [...SMALL_CAPITALS.keys()].join("");
const ANY = new RegExp(`[${OTHERS}${SMALL}]`);
const ALL = new RegExp(`[${OTHERS}${SMALL}]`, "g");
const ALL_SMALL = new RegExp(`[${SMALL}]`, "g");

function pairs(...lists: readonly string[]): ReadonlyMap<string, string> {
  return new Map(lists.flatMap((list) => list.split(" ")).map(([letter = "", latin = ""]) => [letter, latin]));
}

/** Every look-alike as the Latin letter, also in words of other scripts: only to compare two texts. */
export const allLatin = (text: string): string => text.replaceAll(ALL, (letter) => LATIN_LETTERS.get(letter)!);

/**
 * The text as a reader takes it, of the same length. Words that mix Latin letters with look-alikes become Latin, and so do words of nothing
 * but look-alikes, in lines of Latin words. Words of other scripts stay.
 */
export const withLatinWords = (text: string): string =>
  ANY.test(text) ? text.replaceAll(ALL_SMALL, allLatin).split("\n").map(latinLine).join("\n") : text;

function latinLine(line: string): string {
  let latin = "";
  let done = 0;
  for (const { from, to } of disguisedWords(line)) {
    latin += line.slice(done, from) + allLatin(line.slice(from, to));
    done = to;
  }
  return latin + line.slice(done);
}

/** What a character is, as bits, so that those of a word can be joined. */
const [GAP, LATIN, ALIKE, FOREIGN] = [0, 1, 2, 4] as const;
const MIXED = LATIN | ALIKE;
/** Alphabets are below; above, everything but punctuation and symbols counts as a letter of another script. */
const KINDS = Uint8Array.from({ length: 0x2000 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (OF_OTHER_SCRIPTS.has(char)) return ALIKE;
  if (/\p{Script=Latin}/u.test(char)) return LATIN;
  return /\p{L}/u.test(char) ? FOREIGN : GAP;
});
const isSymbol = (code: number): boolean =>
  (code >= 0x2000 && code < 0x2c00) || (code >= 0x3000 && code < 0x3040) || (code >= 0xd800 && code < 0xe000) || code >= 0xfe00;
const kindOf = (code: number): number => (code < KINDS.length ? KINDS[code]! : isSymbol(code) ? GAP : FOREIGN);

interface Word {
  readonly from: number;
  readonly to: number;
  readonly kinds: number;
}

/** The words of a line that a reader takes for Latin ones. */
function disguisedWords(line: string): readonly Word[] {
  const found: Word[] = [];
  let scripts: number = GAP;
  for (let at = 0; at < line.length; at++) {
    const from = at;
    let kinds: number = GAP;
    for (let kind; at < line.length && (kind = kindOf(line.charCodeAt(at))) !== GAP; at++) kinds |= kind;
    scripts |= kinds;
    if (kinds === ALIKE || kinds === MIXED) found.push({ from, to: at, kinds });
  }
  return (scripts & (LATIN | FOREIGN)) === LATIN ? found : found.filter(({ kinds }) => kinds === MIXED);
}
