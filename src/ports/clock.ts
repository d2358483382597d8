// The board's clock.

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Calls back once, about at that time; the returned function cancels it. */
  at(unixMs: number, callback: () => void): () => void;
}
