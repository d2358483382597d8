// One attack: what one address sends, and what it must not achieve.
import { count } from "../part.ts";
import type { Caller, Pace } from "./caller.ts";
import type { Feed } from "./fill.ts";

export interface Stage {
  readonly caller: Caller;
  readonly feed: Feed;
  readonly seconds: number;
  /** The port for mail, if the attack needs it. */
  readonly smtpPort: number | undefined;
}

/** Figures that the attacker itself has counted. */
export type Notes = Readonly<Record<string, number>>;

export interface Attack {
  readonly name: string;
  /** A description for the page. */
  readonly sends: string;
  /** Flags of the board, beside the usual ones. */
  readonly flags?: readonly string[];
  /** Whether the board receives mail. */
  readonly mail?: boolean;
  /** The address that its requests come from; ATTACKER unless given. */
  readonly address?: string;
  /** Answers for which the board has done the costly work, and how many of them there must be; with fewer, the attack was none. */
  readonly meets: Met;
  /** The promise is broken if the board takes more memory than this; MORE_MIB unless given. */
  readonly moreMiB?: number;
  /** Whether the messages of `feed.ending` end together when the attack begins. */
  readonly ends?: boolean;
  /** How long others use the board before, in seconds: a process that was just started takes more memory for a while, attacked or not. */
  readonly warmS?: number;
  /** Prepares the attack, unmeasured, and returns the attack itself. */
  begin(stage: Stage): Promise<() => Promise<Notes>>;
  /** Further limits, beside the waits of others, the event loop and the memory. */
  judge?(after: Aftermath): readonly Judged[];
}

export interface Met {
  readonly least: number;
  /** As a caller counts them. */
  readonly of: readonly string[];
}

/** What was observed from outside. */
export interface Aftermath {
  readonly notes: Notes;
  readonly heard: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Growth of the board's disk usage. */
  readonly storedMiB: number;
}

export interface Judged {
  readonly held: boolean;
  /** Whether it is a wait, which may have been too long because of something else on the machine. */
  readonly isWait?: true;
  readonly words: string;
}

/** Whether the attack was one: a board is not proved to withstand requests that it refused before it did anything. */
export function hasAttacked({ least, of }: Met, heard: Aftermath["heard"]): Judged {
  const met = of.reduce((sum, status) => sum + (heard[status] ?? 0), 0);
  const answers = Object.entries(heard).map(([status, n]) => `${count(n)} x ${status}`);
  const answered = `answered ${answers.join(", ") || "nothing"}`;
  return met >= least
    ? { held: true, words: answered }
    : { held: false, words: `did not attack: ${answered}, and an attack needs ${count(least)} x ${of.join(" or ")}` };
}

export const ATTACKER = "127.0.0.2";
/** Until then, a board that is used has about as much memory as it needs. */
export const LONG_WARM_S = 60;
/** Somebody who has read before the attack what the attack reads. */
export const READER = "127.0.0.3";

/** A little more than the board allows, so that the allowance is used up. */
export const READS: Pace = { burst: 300, perSecond: 25 };
export const WRITES: Pace = { burst: 60, perSecond: 3 };
