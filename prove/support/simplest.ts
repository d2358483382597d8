// Finds the simplest case that still fails, with fast-check, also for cases that are made of random draws.
import { type Arbitrary, array, asyncProperty, check, integer } from "fast-check";
import { Random } from "../../test/support/random.ts";

const WHOLE = 2 ** 32;
const LONGEST_MS = 300_000;

/** Draws like `Random`, and records the numbers. */
export class Recorded extends Random {
  readonly drawn: number[] = [];

  override next(): number {
    const one = super.next();
    this.drawn.push(one * WHOLE);
    return one;
  }

  /** Recorded the other way round, so that 0 means that nothing odd happens. */
  override chance(share: number): boolean {
    const one = super.next();
    this.drawn.push(WHOLE - 1 - one * WHOLE);
    return one < share;
  }
}

/** Draws the numbers of a list, and after them always the simplest: the first, the shortest, and nothing odd. */
export class Replayed extends Random {
  readonly #drawn: readonly number[];
  #at = 0;

  constructor(drawn: readonly number[]) {
    super(0);
    this.#drawn = drawn;
  }

  override next(): number {
    return (this.#drawn[this.#at++] ?? 0) / WHOLE;
  }

  override chance(share: number): boolean {
    return (WHOLE - 1) / WHOLE - this.next() < share;
  }
}

/** Lists of numbers that may be drawn instead of these. */
export const draws = (drawn: readonly number[]): Arbitrary<number[]> =>
  array(integer({ min: 0, max: WHOLE - 1 }), { maxLength: drawn.length });

/** The simplest case found in the time that fails like this one; undefined if this case does not fail again. */
export async function simplest<Case>(
  cases: Arbitrary<Case>,
  failing: Case,
  fails: (one: Case) => Promise<boolean>,
): Promise<Case | undefined> {
  const found = await check(
    asyncProperty(cases, async (one) => !(await fails(one))),
    { examples: [[failing]], numRuns: 1, interruptAfterTimeLimit: LONGEST_MS },
  );
  return found.counterexample?.[0];
}
