import { expect, test } from "vitest";
import { embedderOf } from "../../src/adapters/search/meaning-table.ts";
import { MEANING_TABLE } from "../../src/adapters/system/package-files.ts";
import { trust } from "../../src/core/search/meaning/fuse-scores.ts";
import { REWORDED } from "./reworded.ts";
import { recall } from "./similarity-recall.ts";
import { heldBackTable, recallTable } from "./similarity-tables.ts";

const pairs = (of: readonly (readonly [string, string])[]) =>
  of.flatMap((pair, g) => pair.map((t, nth) => ({ i: 2 * g + nth, t, b: "", g })));
const ENGLISH = recall(pairs(REWORDED));

test("pairs without a common word are found by meaning, and by both, but not by words", () => {
  const first = (engine: "words" | "meaning" | "both"): number => ENGLISH.found.filter((one) => one[engine].rank === 0).length;
  expect(first("words")).toBe(0);
  expect(first("meaning")).toBeGreaterThan(15);
  expect(first("both")).toBeGreaterThan(10);
});

test("texts in a language that the table does not know are ranked by meaning alone too, while both is by words", () => {
  const german = pairs([
    ["Der Verschlüsselungsschlüssel wurde nicht erneuert", "Verschlüsselungsschlüssel erneuern"],
    ["Die Straßenbahnhaltestelle liegt gegenüber", "gegenüberliegende Straßenbahnhaltestelle"],
  ]);
  const { found } = recall(german);
  for (const [at, { t }] of german.entries()) {
    expect(trust(embedderOf(MEANING_TABLE).meaningOf(t))).toBe(0);
    expect(found[at]?.meaning.rank).toBe(0);
    expect({ ...found[at]?.both, ms: 0 }).toEqual({ ...found[at]?.words, ms: 0 });
  }
});

test("the questions that were used for tuning are left out of the second table", () => {
  expect(recallTable([["reworded", ENGLISH]])).toMatch(/\| reworded \| 20 \| 20 \|/);
  expect(heldBackTable([["reworded", ENGLISH]])).toMatch(/\| reworded \| 10 \|/);
  const missed = ENGLISH.found.map((one, nth) => ({ ...one, meaning: { ...one.meaning, rank: nth % 2 === 0 ? Infinity : 0 } }));
  expect(heldBackTable([["reworded", { ...ENGLISH, found: missed }]])).toContain("| 100.0 / 100.0 |");
});
