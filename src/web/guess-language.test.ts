import { expect, test } from "vitest";
import { guessedLanguage } from "./guess-language.ts";

test.each([
  ["en", "What is the fastest way to count the rows of a table?"],
  ["de", "Wie heißt das Feld, und warum ist die Zahl nicht richtig?"],
  ["fr", "Relire les messages et dire que le texte est clair pour une équipe"],
  ["es", "Buscar frases ambiguas en el contrato, que los datos y la fecha del cliente"],
  ["ja", "日本語のテキストを確認してください"],
  ["zh", "请检查这份中文翻译"],
  ["", "GPU 12 x86"],
  ["", "Pool size?"],
])("a reader's voice and letters fit the text: %s", (language, text) => {
  expect(guessedLanguage(text)).toBe(language);
});
