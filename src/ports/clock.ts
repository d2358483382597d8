// The board's clock.

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Calls back once, about at that time; the returned function cancels it. */
  at(unixMs: number, callback: () => void): () => void;
}

/** Calls back again and again, each time this long after the last; the returned function ends it. */
export function every(clock: Clock, ms: number, callback: () => void): () => void {
  const wait = (): (() => void) =>
    clock.at(clock.now() + ms, () => {
      cancel = wait();
      callback();
    });
  let cancel = wait();
  return () => cancel();
}
