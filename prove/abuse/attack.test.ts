import { expect, test } from "vitest";
import { hasAttacked } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

const met = { least: 3, of: ["200", "429 half way"] };

test("requests that were all refused before the board did anything, or got no answer, are no attack", () => {
  for (const heard of [{ "429": 1050 }, { left: 20, none: 3 }, {}, { "200": 2, "429": 1000 }]) {
    const { held, words } = hasAttacked(met, heard);
    expect(held).toBe(false);
    expect(words).toMatch(/^did not attack: answered .+, and an attack needs 3 x 200 or 429 half way$/);
  }
});

test("answers of all kinds that took the costly work count together", () => {
  expect(hasAttacked(met, { "200": 1, "429": 1000, "429 half way": 2 })).toEqual({
    held: true,
    words: "answered 1 x 200, 1,000 x 429, 2 x 429 half way",
  });
});

test("no attack is content with refusals at the door", () => {
  for (const { name, meets } of ATTACKS) {
    expect(meets.least, name).toBeGreaterThan(0);
    expect(hasAttacked(meets, { "429": 1e6, left: 1e6, none: 1e6 }).held, name).toBe(false);
  }
});
