// The simplest case that still fails, which fast-check looks for; also where a case is made of whatever chance draws for it.
import { type Arbitrary, array, asyncProperty, check, integer } from "fast-check";
import { Random } from "../../test/support/random.ts";

const WHOLE = 2 ** 32;
const LONGEST_MS = 300_000;

/** Draws as `Random` does, and keeps the list. */
export class Recorded extends Random {
  readonly drawn: number[] = [];

  override next(): number {
    const one = super.next();
    this.drawn.push(one * WHOLE);
    return one;
  }

  /** The other way round, so that nought is what happens where nothing odd does. */
  override chance(share: number): boolean {
    const one = super.next();
    this.drawn.push(WHOLE - 1 - one * WHOLE);
    return one < share;
  }
}

/** Draws what is in a list, and then always the simplest: the first, the shortest, and that nothing odd happens. */
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

/** What may be drawn instead of these. */
export const draws = (drawn: readonly number[]): Arbitrary<number[]> =>
  array(integer({ min: 0, max: WHOLE - 1 }), { maxLength: drawn.length });

/** The simplest case that fails as this one does, as far as it was found in the time; undefined where not even this one fails again. */
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
