// What one promise is, and what a look at it found.

export interface Finding {
  readonly held: boolean;
  /** What was done and seen, in one line of figures. */
  readonly figure: string;
}

export type StoreName = "sqlite" | "postgres";
export const STORES: readonly StoreName[] = ["sqlite", "postgres"];

export interface Part {
  readonly name: string;
  /** Several parts that are asked for by one name. */
  readonly group?: string;
  readonly promise: string;
  /** What its boards are kept in, a row for each; one is enough where the promise has nothing to do with it. */
  readonly stores: readonly StoreName[];
  /** `times` scales a count down where only a quick look is wanted; see run.ts. Boards of test/support are in `store` meanwhile. */
  run(times: (full: number) => number, store: StoreName): Promise<Finding>;
}

/** A part that this machine cannot show, and why. */
export class NotHere extends Error {}

export const count = (n: number): string => n.toLocaleString("en");
