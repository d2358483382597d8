// Readers wait until everything due has ended, so that the statuses and counts they return are current.
import type { Sweeper } from "./sweep.ts";

declare const swept: unique symbol;
/**
 * A read that begins after everything due has ended. Every reader of statuses, counts or text uses this type: the stored values may be one
 * sweep behind.
 */
export type Swept<Read> = Read & { readonly [swept]: true };

/** A read-only board has no sweeper, and corrects what it reads for the present time (read-only-expiry.ts). */
export const afterSweep =
  (sweeper: Pick<Sweeper, "isSwept" | "sweepDue"> | undefined) =>
  <Asked extends readonly unknown[], Answer>(read: (...asked: Asked) => Promise<Answer>): Swept<typeof read> => {
    // Most of the time nothing is due, and nobody waits.
    const begin = (...asked: Asked): Promise<Answer> =>
      sweeper === undefined || sweeper.isSwept() ? read(...asked) : sweeper.sweepDue().then(() => read(...asked));
    return begin as Swept<typeof read>;
  };
