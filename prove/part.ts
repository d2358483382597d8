// What one promise is, and what a look at it found.

export interface Finding {
  readonly held: boolean;
  /** What was done and seen, in one line of figures. */
  readonly figure: string;
}

export interface Part {
  readonly name: string;
  readonly promise: string;
  /** `times` scales a count down where only a quick look is wanted; see run.ts. */
  run(times: (full: number) => number): Promise<Finding>;
}

/** A part that this machine cannot show, and why. */
export class NotHere extends Error {}
