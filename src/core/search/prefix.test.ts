import { expect, test } from "vitest";
import { isPrefixOf, prefixForms } from "./prefix.ts";
import { stem } from "./stem.ts";

const WORDS = (
  "running stopped universities university universal happiness happily relational conditionally generalizations communication adjustable " +
  "sensibility hopefulness carelessly analogies triplicate electricity dependencies hesitancy possibly decisiveness conformably operators " +
  "studies studied skies dying agreed exceedingly controlling replacement irritants effective adoption formative defensible homologous gently"
).split(" ");

test("every beginning of a word finds that word, wherever the stemmer cut it", () => {
  for (const word of WORDS) {
    for (let length = 2; length <= word.length; length++) {
      const beginning = word.slice(0, length);
      expect(isPrefixOf(prefixForms(beginning), stem(word)), `${beginning}* finds ${word}`).toBe(true);
    }
  }
});

test("a beginning finds no word that goes on differently", () => {
  for (const [beginning, word] of [
    ["runner", "run"],
    ["unive", "unit"],
    ["sto", "step"],
    ["stopw", "stop"],
  ] as const) {
    expect(isPrefixOf(prefixForms(beginning), stem(word)), `${beginning}* and ${word}`).toBe(false);
  }
});

test("the further terms are few, so that the index looks up a handful", () => {
  for (const word of WORDS) expect(prefixForms(word).terms.length).toBeLessThanOrEqual(4);
});
