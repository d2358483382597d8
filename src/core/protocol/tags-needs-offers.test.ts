import { expect, test } from "vitest";
import { distinctLabels, foldLabel, isLabel } from "./tags-needs-offers.ts";

test.for([
  ["Rust", "rust"],
  ["GRÜN", "grün"],
  ["ＡＢＣ", "abc"],
  ["ﬁne", "fine"],
  ["Ⅷ", "viii"],
  ["e\u0301", "é"],
  ["ΑΣ", "ας"],
  ["Straße", "straße"],
  ["日本語", "日本語"],
  ["a.b_c:d/e+f#g-h", "a.b_c:d/e+f#g-h"],
])("%s is compared as %s", ([written, compared]) => {
  expect(foldLabel(written!)).toBe(compared);
  expect(foldLabel(compared!)).toBe(compared);
  expect(isLabel(written!)).toBe(true);
});

test("each label stays once, as it was first written", () => {
  expect(distinctLabels(["Rust", "rust", "C", "RUST", "c", "d"])).toEqual(["Rust", "C", "d"]);
});
