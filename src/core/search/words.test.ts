import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { fold } from "./fold.ts";
import { stem } from "./stem.ts";
import { words } from "./words.ts";

test("case, accents and width do not hide a word", () => {
  expect(words("CAFÉ Cafe\u0301 ｃａｆｅ")).toEqual(["cafe", "cafe", "cafe"]);
  expect(words("Łódź smørrebrød Ångström İstanbul Đà Þór cœur ﬁne")).toEqual(words("lodz smorrebrod angstrom istanbul da thor coeur fine"));
  expect(words("Straße STRASSE ẞ")).toEqual(words("strasse strasse ss"));
  expect(words("ΕΛΛΆΣ Ελλάς ελλας")).toEqual(["ελλασ", "ελλασ", "ελλασ"]);
  expect(words("Ёлка ЕЛКА")).toEqual(["елка", "елка"]);
});

test("points and vowel signs that writers leave out do not hide a word", () => {
  expect(words("שָׁלוֹם")).toEqual(words("שלום"));
  expect(words("مُحَمَّد")).toEqual(words("محمد"));
});

test("invisible characters do not hide a word, and the zero-width space parts words", () => {
  expect(words("co\u00adop\u200derate \u202efoo\u202c \ufeffbar")).toEqual(words("cooperate foo bar"));
  expect(words("foo\u200bbar")).toEqual(["foo", "bar"]);
});

test("English word forms are found by their stem", () => {
  expect(words("Run runs RUNNING ran")).toEqual(["run", "run", "run", "ran"]);
});

test("a word gets its own stem however many others were seen before it", () => {
  const letters = (n: number): string => (n < 26 ? "" : letters(Math.floor(n / 26) - 1)) + String.fromCodePoint(97 + (n % 26));
  const many = Array.from({ length: 100_000 }, (_, n) => letters(n * 7));
  const stems = words(many.join(" "));
  for (const at of [0, 1, 26, 500, 20_000, 99_999]) expect(stems[at]).toBe(stem(many[at] ?? ""));
  expect(words(many.join(" "))).toEqual(many.map(stem));
});

test("apostrophes: possessive, contraction, name and elision are found the way people type them", () => {
  expect(words("the dog's don't O'Brien l'eau we’re 'quoted'")).toEqual(["the", "dog", "dont", "obrien", "l", "eau", "we", "re", "quot"]);
});

test("names of code are found whole and by their parts", () => {
  expect(words("C++ c# F#, node.js foo_bar a++b C#7")).toEqual(["c++", "c#", "f#", "node", "js", "foo", "bar", "a", "b", "c", "7"]);
  expect(words("getElementById")).toEqual(words("GETELEMENTBYID"));
  expect(words("getElementById")).toHaveLength(1);
  expect(words("v1.2.3 10,5")).toEqual(["v1", "2", "3", "10", "5"]);
});

test("Chinese, Japanese, Thai and Lao are split by word", () => {
  expect(words("我爱北京天安门")).toEqual(["我", "爱", "北京", "天安门"]);
  expect(words("東京都庁")).toEqual(["東京", "都庁"]);
  expect(words("自然言語処理")).toEqual(["自然", "言語", "処理"]);
  expect(words("สวัสดีชาวโลก")).toEqual(["สวัสดี", "ชาว", "โลก"]);
  expect(words("ພາສາລາວ")).toEqual(["ພາສາ", "ລາວ"]);
});

test("Khmer and Burmese come apart somewhere and lose nothing", () => {
  for (const text of ["ខ្ញុំចូលចិត្តភាសាខ្មែរណាស់", "ကျွန်တော်မြန်မာစကားပြောတတ်ပါတယ်"]) {
    expect(words(text).length).toBeGreaterThan(1);
    expect(words(text).join("")).toBe(text);
  }
});

test("scripts mixed in one run are each found", () => {
  expect(words("iPhone用ケース2024年")).toEqual([...words("iphone"), "用", "ケース", "2024", "年"]);
  expect(words("ｶﾞｲﾄﾞ ガイド")).toEqual(["ガイド", "ガイド"]);
});

test("Korean and Hindi words stay whole with their signs", () => {
  expect(words("한국어는 어렵다")).toEqual(["한국어는", "어렵다"]);
  expect(words("हिन्दी में")).toEqual(["हिन्दी", "में"]);
});

test("an emoji is found whatever its skin tone or presentation", () => {
  expect(words("👍 👍🏽 ☺️ ☺ 🇩🇪")).toEqual(["👍", "👍", "☺", "☺", "🇩🇪"]);
});

test("a word longer than any word is cut, never inside a character", () => {
  expect(words("a".repeat(100))).toEqual(["a".repeat(64)]);
  const [word = ""] = words(`x${"𝒳".normalize("NFC")}${"𐐨".repeat(60)}`);
  expect(word.length).toBeLessThanOrEqual(64);
  expect(word.isWellFormed()).toBe(true);
});

test("nothing but punctuation holds no word", () => {
  expect(words("")).toEqual([]);
  expect(words(" \n\t.,;:!?()[]{}<>-–—_*/\\|@#$%^&+=~`\"'\0")).toEqual([]);
});

const sound = (text: string): void => {
  const broken = words(text).filter(
    (word) => word === "" || word.length > 64 || /[\s~*"]/.test(word) || (text.isWellFormed() && !word.isWellFormed()),
  );
  expect(broken).toEqual([]);
};

test("any text gives sound words", () => {
  fc.assert(fc.property(anyText, sound));
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), sound));
});

test("a message as long as allowed, of whatever one fears, is read to its end", () => {
  const pieces = ["\u0301\u0323", "a\u0316\u0301", "ﷺ", "中", "ก", "က", "'a", "c++", "c#", "y", "ing", "👩‍💻", "🇩", "ក្", "\ud800", "ー", "٠"];
  for (const piece of pieces) {
    const text = piece.repeat(32_768 / piece.length);
    const found = words(`${text} lighthouse`);
    expect(found.length).toBeLessThan(70_000);
    if (piece !== "ﷺ") expect(found.at(-1)).toBe("lighthous");
  }
});

test.skipIf(noVectors)(`naughty strings give sound words ${WITH_VECTORS}`, () => {
  const strings = vectorJson<string[]>("strings/blns.json");
  expect(strings.length).toBeGreaterThan(100);
  for (const text of strings) sound(text);
});

test("nobody holds the board with marks that stand in one pile once what parted them is dropped", () => {
  expect(fold(`${"\u093c\u094d".repeat(8)}\u200d`.repeat(2000)).length).toBeLessThan(20);
});
