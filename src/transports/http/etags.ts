// Validators of answers: how they are made, since an answer changes only when the log grows or with time itself, and how they are compared.
import type { IncomingHttpHeaders } from "node:http";
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ListReads } from "../../ports/store.ts";
import { Freshness, type BoardMoment, momentAt } from "../../board/read/cache-freshness.ts";

export interface Versions {
  /** A weak validator of the answer at an address, for the present state of the board. `moves`: the answer changes with the clock alone. */
  readonly of: (address: string, moves: boolean) => Promise<string>;
  /** The validator that can be computed without waiting, if the store can answer synchronously. */
  readonly moment: ((now: number) => BoardMoment | undefined) | undefined;
}

export function versions(store: Pick<ListReads, "leastState" | "sync">, clock: Clock): Versions {
  const { sync } = store;
  return {
    async of(address, moves) {
      const state = await store.leastState();
      return tagOf(hashOf(address), moves, new Freshness(state, state.nextDue, clock.now()), state.newest);
    },
    moment: sync && ((now) => momentAt(sync, now)),
  };
}

/** The validator of one address, as a function of the board's state. */
export function versionAt(address: string, moves: boolean): (at: Freshness) => string {
  const hash = hashOf(address);
  let last: { readonly at: Freshness; readonly tag: string } | undefined;
  return (at) => {
    if (moves || last === undefined || !at.isAs(last.at)) last = { at, tag: tagOf(hash, moves, at, at.seq) };
    return last.tag;
  };
}

const hashOf = (address: string): string => sha256Hex(address).slice(0, 12);

/** Combines the oldest and the newest state that an answer may have: if either changes, the answer is sent again. */
function tagOf(hash: string, moves: boolean, at: Freshness, newest: number): string {
  const state = at.seq === newest ? String(at.seq) : `${at.seq}.${newest}`;
  const second = moves || at.overdue ? `-${Math.floor(at.now / 1000)}` : "";
  return `W/"${state}-${(at.due ?? 0).toString(36)}-${at.hash.slice(0, 8)}-${hash}${second}"`;
}

/** Validators are compared weakly, since a proxy may have dropped or added `W/`. `tag` is weak. */
export function matchesEtag({ "if-none-match": given }: IncomingHttpHeaders, tag: string): boolean {
  return given?.includes(tag.slice("W/".length)) === true;
}

/** `*` matches any answer. Whether there is one is known only after the answer is made. */
export const matchesAnyEtag = ({ "if-none-match": given }: IncomingHttpHeaders): boolean => given?.trim() === "*";
