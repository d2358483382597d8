// What tells a node that the log may have moved without it: a hint, and never the only way to find out.

export interface Moved {
  readonly seq: number;
  /** When the next lifetime or lease ends, if any. */
  readonly nextDue: number | null;
  /** Messages that another node has just posted. */
  readonly posted: PostsByBits;
}

/** How many posts proved how many bits of work. */
export type PostsByBits = ReadonlyMap<number, number>;

export interface Wakeup {
  onMoved(hear: (moved: Moved) => void): void;
}
