// A part: one promise and the program that tries to break it; and a finding, its result.

export interface Finding {
  readonly held: boolean;
  /** The result in one line of figures. */
  readonly figure: string;
}

export type StoreName = "sqlite" | "postgres";
export const STORES: readonly StoreName[] = ["sqlite", "postgres"];

export interface Part {
  readonly name: string;
  /** The name of a group of parts, to run them together. */
  readonly group?: string;
  readonly promise: string;
  /** The stores to run on, one row for each. One store is enough if the promise does not depend on the store. */
  readonly stores: readonly StoreName[];
  /** `times` scales a count down for a quick run; see run.ts. Boards of test/support use `store` during the run. */
  run(times: (full: number) => number, store: StoreName): Promise<Finding>;
}

/** This machine cannot run the part; the message says why. */
export class NotHere extends Error {}

export const count = (n: number): string => n.toLocaleString("en");
