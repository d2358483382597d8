// English word forms to their stem: the Porter2 algorithm (snowballstem.org/algorithms/english), for lower-case ASCII words.

const IRREGULAR = new Map(
  Object.entries({
    skis: "ski",
    skies: "sky",
    dying: "die",
    lying: "lie",
    tying: "tie",
    idly: "idl",
    gently: "gentl",
    ugly: "ugli",
    early: "earli",
    only: "onli",
    singly: "singl",
    ...Object.fromEntries(["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"].map((word) => [word, word])),
  }),
);
/** Words that look like inflected forms once a plural s was removed, but are not. */
const WHOLE = /^(?:inning|outing|canning|herring|earring|proceed|exceed|succeed)$/;

const REGION = /[aeiouy][^aeiouy]/;
const LONG_START = /^(?:gener|commun|arsen)/;
const VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_SYLLABLE = /(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$/;

const STEP_2_TO: Readonly<Record<string, string>> = {
  ational: "ate",
  tional: "tion",
  enci: "ence",
  anci: "ance",
  abli: "able",
  entli: "ent",
  izer: "ize",
  ization: "ize",
  ation: "ate",
  ator: "ate",
  alism: "al",
  aliti: "al",
  alli: "al",
  fulness: "ful",
  ousli: "ous",
  ousness: "ous",
  iveness: "ive",
  iviti: "ive",
  biliti: "ble",
  bli: "ble",
  ogi: "og",
  fulli: "ful",
  lessli: "less",
  li: "",
};
const STEP_2 = new RegExp(`(?:${Object.keys(STEP_2_TO).join("|")})$`);
const STEP_3_TO: Readonly<Record<string, string>> = {
  ational: "ate",
  tional: "tion",
  alize: "al",
  icate: "ic",
  iciti: "ic",
  ical: "ic",
  ful: "",
  ness: "",
  ative: "",
};
const STEP_3 = new RegExp(`(?:${Object.keys(STEP_3_TO).join("|")})$`);
const STEP_4 = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ism|ate|iti|ous|ive|ize|ion)$/;

/** The start of the region after the first consonant that follows a vowel, searched from `from`. */
function regionAfter(word: string, from: number): number {
  const at = word.slice(from).search(REGION);
  return at < 0 ? word.length : from + at + 2;
}

export function stem(word: string): string {
  if (word.length <= 2) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;

  // A consonant y is written Y until the end.
  let w = word.includes("y") ? word.replace(/^y/, "Y").replace(/(?<=[aeiouy])y/g, "Y") : word;
  const r1 = LONG_START.exec(w)?.[0].length ?? regionAfter(w, 0);
  const r2 = regionAfter(w, r1);

  w = plural(w);
  if (WHOLE.test(w)) return w;
  w = participle(w, r1);
  if (/[^aeiouy][yY]$/.test(w) && w.length > 2) w = `${w.slice(0, -1)}i`;
  w = derived(w, r1, r2);
  return w.replaceAll("Y", "y");
}

function plural(w: string): string {
  if (w.endsWith("sses")) return w.slice(0, -2);
  if (w.endsWith("ied") || w.endsWith("ies")) return w.slice(0, w.length > 4 ? -2 : -1);
  if (w.endsWith("us") || w.endsWith("ss")) return w;
  return w.endsWith("s") && VOWEL.test(w.slice(0, -2)) ? w.slice(0, -1) : w;
}

function participle(w: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(w);
  if (eed !== null) return eed.index >= r1 ? `${w.slice(0, eed.index)}ee` : w;
  const suffix = /(?:ed|ing)(?:ly)?$/.exec(w);
  if (suffix === null) return w;
  const base = w.slice(0, suffix.index);
  if (!VOWEL.test(base)) return w;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLE.test(base)) return base.slice(0, -1);
  return r1 >= base.length && SHORT_SYLLABLE.test(base) ? `${base}e` : base;
}

function derived(word: string, r1: number, r2: number): string {
  let w = word;
  const two = STEP_2.exec(w);
  if (two !== null && two.index >= r1) {
    const [suffix] = two;
    const before = w[two.index - 1] ?? "";
    const fits = suffix === "ogi" ? before === "l" : suffix !== "li" || "cdeghkmnrt".includes(before);
    if (fits) w = w.slice(0, two.index) + (STEP_2_TO[suffix] ?? "");
  }
  const three = STEP_3.exec(w);
  if (three !== null && three.index >= (three[0] === "ative" ? r2 : r1)) w = w.slice(0, three.index) + (STEP_3_TO[three[0]] ?? "");
  const four = STEP_4.exec(w);
  if (four !== null && four.index >= r2 && (four[0] !== "ion" || "st".includes(w[four.index - 1] ?? " "))) w = w.slice(0, four.index);
  const last = w.length - 1;
  if (w.endsWith("e") && (last >= r2 || (last >= r1 && !SHORT_SYLLABLE.test(w.slice(0, last))))) return w.slice(0, last);
  return w.endsWith("ll") && last >= r2 ? w.slice(0, last) : w;
}
