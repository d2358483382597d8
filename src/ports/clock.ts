// Time as the board sees it.

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Calls back once, about when the time comes; the answer cancels it. */
  at(unixMs: number, callback: () => void): () => void;
}
