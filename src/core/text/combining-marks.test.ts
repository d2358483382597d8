import { expect, test } from "vitest";
import { withoutStackedMarks } from "./combining-marks.ts";

test.each([
  ["accents above and below", "\u0301\u0323"],
  ["voicing marks that are letters until they are normalised", "\u0301\uFF9E"],
])("nobody holds the board with a pile of marks on one letter: %s", (_, marks) => {
  expect(withoutStackedMarks(`Ａ${marks.repeat(16_000)}b`).normalize("NFKC").length).toBeLessThan(20);
});

test("what languages write stays: stacked accents, pointed Hebrew, voiced kana", () => {
  const texts = ["ế", "e\u0323\u0302\u0301", "בְּרֵאשִׁ֖ית", "ﾊﾟﾋﾞ"];
  expect(texts.map(withoutStackedMarks)).toEqual(texts);
});

test("no character but marks and those two becomes a mark when it is normalised", () => {
  const becomesMark: string[] = [];
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    if (!/[\p{M}\uFF9E\uFF9F\p{Cs}]/u.test(character) && /^\p{M}+$/u.test(character.normalize("NFKD"))) becomesMark.push(character);
  }
  expect(becomesMark).toEqual([]);
});
