// How long an answer stays true: until the log moves, until something is due, or until an end of its own.
import type { AtHand, Store } from "../../ports/store.ts";

/** Where the board stood when somebody asked. */
export class Freshness {
  /** Of the newest entry in the log. */
  readonly seq: number;
  /** When the next lifetime or lease ends, if any. */
  readonly due: number | null;
  readonly now: number;

  constructor(seq: number, due: number | null, now: number) {
    this.seq = seq;
    this.due = due;
    this.now = now;
  }

  /** Something has ended of which there is no entry yet; on a board that may not write there never is, and time alone changes its answers. */
  get overdue(): boolean {
    return this.due !== null && this.due <= this.now;
  }

  /** Whether the board stands where it stood. A lease that ends may change no status and so write no entry; but then something else is due next. */
  isAs({ seq, due }: Freshness): boolean {
    return seq === this.seq && due === this.due;
  }

  /** Whether what was true from one moment on, and is so until another, is true now; if the board stands where it stood. */
  holds(from: number, until: number): boolean {
    return !this.overdue && from <= this.now && this.now < until;
  }
}

export async function freshnessOf(reads: Pick<Store, "head" | "nextDue">, now: number): Promise<Freshness> {
  const { seq } = await reads.head();
  return new Freshness(seq, await reads.nextDue(), now);
}

/** The board at one moment, read without waiting. */
export interface Moment {
  readonly fresh: Freshness;
  readonly reads: AtHand;
}

/** Undefined where something is due: that is waited for first. */
export function momentAt(reads: AtHand, now: number): Moment | undefined {
  const { seq, nextDue } = reads.state();
  const fresh = new Freshness(seq, nextDue, now);
  return fresh.overdue ? undefined : { fresh, reads };
}
