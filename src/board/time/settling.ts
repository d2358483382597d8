// Readers wait until what is due has ended, so that the statuses and counts that they tell are those of the moment.
import type { Sweeper } from "./sweep.ts";

declare const settled: unique symbol;
/** A reading that begins when what is due has ended. Whoever shows statuses, counts or words of the board asks one of these: what is stored may be behind by a sweep. */
export type Settled<Read> = Read & { readonly [settled]: true };

/** A board that may not write has no sweeper, and tells what it reads as it is at the moment (read-only-view.ts). */
export const settling =
  (sweeper: Pick<Sweeper, "isSettled" | "sweepDue"> | undefined) =>
  <Asked extends readonly unknown[], Answer>(read: (...asked: Asked) => Promise<Answer>): Settled<typeof read> => {
    // Most of the time nothing is due, and nobody waits.
    const begin = (...asked: Asked): Promise<Answer> =>
      sweeper === undefined || sweeper.isSettled() ? read(...asked) : sweeper.sweepDue().then(() => read(...asked));
    return begin as Settled<typeof read>;
  };
