// What the board needs of a store to hand out everything; part of the store's port.
import type { Card } from "./store.ts";

export interface DumpReads {
  /** Live messages in (after, upTo] by seq: a few hundred, fewer where they are large, none when there are no more. */
  dump(after: number, upTo: number, now: number): Promise<readonly Card[]>;
}
