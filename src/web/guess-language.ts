// Guesses the language of a text by its letters and most common words; undefined if that is not enough.

/** Scripts that belong to one language only. */
const LETTERS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Thai}/gu, "th"],
  [/\p{Script=Hebrew}/gu, "he"],
  [/\p{Script=Greek}/gu, "el"],
];
const WORDS: Readonly<Record<string, string>> = {
  en: "the and is of to in that for with this what how",
  de: "der die das und ist nicht ein eine mit wie zu den",
  fr: "le les des et est une dans pour que pas avec du",
  es: "el los las y es una para que con por del como",
  pt: "o os as e um uma para que com não do da",
  it: "il gli e è una per che con non di della come",
};
const FEWEST_LETTERS = 4;
const FEWEST_WORDS = 3;

export function guessedLanguage(text: string): string {
  for (const [letters, language] of LETTERS) if ((text.match(letters)?.length ?? 0) >= FEWEST_LETTERS) return language;
  const said = text.toLowerCase().match(/\p{Letter}+/gu) ?? [];
  const [best, next] = Object.entries(WORDS)
    .map(([language, words]) => {
      const known = new Set(words.split(" "));
      return { language, found: said.filter((word) => known.has(word)).length };
    })
    .sort((a, b) => b.found - a.found);
  return best !== undefined && best.found >= FEWEST_WORDS && best.found > (next?.found ?? 0) ? best.language : "";
}
