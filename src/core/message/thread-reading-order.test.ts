import { array, assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { depthFirst, growTwigs, type Twigs } from "./thread-reading-order.ts";

interface Twig {
  readonly seq: number;
  readonly parent: number | null;
}
/** The same by recursion, straight from the words: a message, then its children by seq, each with all that hangs on it. */
function naive(twigs: readonly Twig[]): [seq: number, depth: number][] {
  const known = new Set(twigs.map(({ seq }) => seq));
  const below = (parent: number | null, depth: number): [number, number][] =>
    twigs
      .filter((twig) => (twig.parent !== null && known.has(twig.parent) ? twig.parent : null) === parent)
      .flatMap(({ seq }): [number, number][] => [[seq, depth], ...below(seq, depth + 1)]);
  return below(null, 0);
}

/** All steps at once. */
function done<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
const grown = (known: Twigs | undefined, twigs: readonly Twig[]): Twigs => done(growTwigs(known, twigs));

const shown = (twigs: readonly Twig[]): [number, number][] => {
  const { order, depths } = done(depthFirst(grown(undefined, twigs)));
  return [...order].map((seq, i) => [seq, depths[i]!]);
};

test("a thread reads depth first with children by seq, whatever its shape", () => {
  assert(
    // Each parent is an earlier message, or (0) none, or (negative) one that is gone.
    property(array(integer({ min: -2, max: 30 }), { maxLength: 30 }), (parents) => {
      const twigs = parents.map((parent, i) => ({ seq: (i + 1) * 3, parent: parent === 0 ? null : Math.min(parent, i) * 3 }));
      expect(shown(twigs)).toEqual(naive(twigs));
      const half = grown(grown(undefined, twigs.slice(0, 10)), twigs.slice(10));
      expect(half).toEqual(grown(undefined, twigs));
    }),
  );
});

test("a reply that came before its parent still hangs below it", () => {
  expect(
    shown([
      { seq: 1, parent: 4 },
      { seq: 4, parent: null },
      { seq: 5, parent: 4 },
    ]),
  ).toEqual([
    [4, 0],
    [1, 1],
    [5, 1],
  ]);
});

test("a chain of a hundred thousand replies does not overflow anything", () => {
  const twigs = Array.from({ length: 100_000 }, (_, i) => ({ seq: i + 1, parent: i === 0 ? null : i }));
  const { order, depths } = done(depthFirst(grown(undefined, twigs)));
  expect(order.length).toBe(100_000);
  expect([order.at(-1), depths.at(-1)]).toEqual([100_000, 99_999]);
});
