// Hints to a node that the log may have new entries. They are never the only way to find out.

export interface Moved {
  readonly seq: number;
  /** When the next lifetime or lease ends, if any. */
  readonly nextDue: number | null;
  /** Messages that another node has just posted. */
  readonly posted: PostsByBits;
  /** Set if this node has just written all entries after this one, up to `seq`. */
  readonly ownAfter?: number | undefined;
}

/** Number of posts by the bits of their proof of work. */
export type PostsByBits = ReadonlyMap<number, number>;

export interface Wakeup {
  onMoved(listener: (moved: Moved) => void): void;
  /** Called if an older copy has taken the place of the board's database, with the newest entry that it had then. */
  onBack(listener: (seq: number) => void): void;
}
