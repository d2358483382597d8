import { expect, test } from "vitest";
import { Random } from "../../test/support/random.ts";
import { draws, Recorded, Replayed, simplest } from "./simplest.ts";

const words = (random: Random): string[] =>
  Array.from({ length: random.below(40) }, () => (random.chance(0.3) ? "odd" : `${random.pick(["a", "b", "c"])}${random.below(1000)}`));

test("recorded numbers are drawn again in the same order", () => {
  for (let seed = 1; seed < 50; seed++) {
    const recorded = new Recorded(seed);
    const first = words(recorded);
    expect(first).toEqual(words(new Random(seed)));
    expect(words(new Replayed(recorded.drawn))).toEqual(first);
  }
});

test("the simplest case that fails in the same way is found", async () => {
  const recorded = new Recorded(3);
  const fails = (random: Random): boolean => words(random).filter((word) => word === "odd").length >= 2;
  expect(words(recorded).length).toBeGreaterThan(10);
  const drawn = await simplest(draws(recorded.drawn), recorded.drawn, async (one) => fails(new Replayed(one)));
  const shown = words(new Replayed(drawn ?? []));
  expect(shown.filter((word) => word === "odd")).toHaveLength(2);
  expect(shown.length).toBeLessThan(4);
});

test("a case that fails once and never again has no simplest case", async () => {
  expect(await simplest(draws([1, 2, 3]), [1, 2, 3], async () => false)).toBeUndefined();
});
