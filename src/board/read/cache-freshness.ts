// How long an answer is valid: until the log has a new entry, until something is due, or until its own end.
import type { Head } from "../../core/log/chain-checkpoint.ts";
import type { SyncReads, Store } from "../../ports/store.ts";

/** The state of the board at the time of a query. */
export class Freshness {
  /** The seq of the newest log entry. */
  readonly seq: number;
  /** The hash of that entry: after a restored backup, or a failover that lost commits, its seq may occur again. */
  readonly hash: string;
  /** When the next lifetime or lease ends, if any. */
  readonly due: number | null;
  readonly now: number;

  constructor({ seq, hash }: Head, due: number | null, now: number) {
    this.seq = seq;
    this.hash = hash;
    this.due = due;
    this.now = now;
  }

  /** Something has ended, and its entry is not written yet. A read-only board never writes it, so its answers change with time alone. */
  get overdue(): boolean {
    return this.due !== null && this.due <= this.now;
  }

  /** Whether the board is unchanged. A lease that ends may change no status and write no entry; but then the next due time changes. */
  isAs({ seq, due, hash }: Freshness): boolean {
    return seq === this.seq && due === this.due && hash === this.hash;
  }

  /** Whether an answer that is valid from one time until another is valid now, if the board is unchanged. */
  holds(from: number, until: number): boolean {
    return !this.overdue && from <= this.now && this.now < until;
  }
}

export async function freshnessOf(reads: Pick<Store, "head" | "nextDue">, now: number): Promise<Freshness> {
  return new Freshness(await reads.head(), await reads.nextDue(), now);
}

/** The present state of the board, read synchronously. */
export interface BoardMoment {
  readonly fresh: Freshness;
  readonly reads: SyncReads;
}

/** The present moment; undefined if something is due, because that must end first. */
export function momentAt(reads: SyncReads, now: number): BoardMoment | undefined {
  const state = reads.state();
  const fresh = new Freshness(state, state.nextDue, now);
  return fresh.overdue ? undefined : { fresh, reads };
}
