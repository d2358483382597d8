// What an attack is: what one address sends, and what may not come of it.
import type { Caller, Pace } from "./caller.ts";
import type { Feed } from "./fill.ts";

export interface Stage {
  readonly caller: Caller;
  readonly feed: Feed;
  readonly seconds: number;
}

/** What the attacker itself has seen, in figures. */
export type Notes = Readonly<Record<string, number>>;

export interface Attack {
  readonly name: string;
  /** In words, for the page. */
  readonly sends: string;
  /** Of the board, beside the usual ones. */
  readonly flags?: readonly string[];
  /** Where its requests come from; ATTACKER unless given. */
  readonly address?: string;
  /** One of these must be answered, or it has missed its aim. */
  readonly meets: readonly string[];
  /** More memory of the board than this breaks the promise; MORE_MIB unless given. */
  readonly moreMiB?: number;
  /** Gets ready, unmeasured; what it answers is the attack. */
  begin(stage: Stage): Promise<() => Promise<Notes>>;
  /** Beside the delays of others, the loop and the memory: what more may not happen. */
  judge?(after: Aftermath): readonly Judged[];
}

/** What was seen from outside. */
export interface Aftermath {
  readonly notes: Notes;
  readonly heard: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of disk, that the board has more than before. */
  readonly storedMiB: number;
}

export interface Judged {
  readonly held: boolean;
  readonly words: string;
}

export const ATTACKER = "127.0.0.2";

/** A little more than the board grants, so that nothing of it is left. */
export const READS: Pace = { burst: 300, perSecond: 25 };
export const WRITES: Pace = { burst: 60, perSecond: 3 };
