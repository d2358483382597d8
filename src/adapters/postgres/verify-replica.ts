// Checks whether a database is a replica of this board.
import { setTimeout } from "node:timers/promises";
import { GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import type { Client } from "./client.ts";

/** A replica's state of its board. */
export interface Claim extends Head {
  readonly pk: string | null;
}

/** `foreign`: it is another board, or another history of this one. `unproven`: it is too far behind to decide. */
export type SameBoard = { readonly is: "same" } | { readonly is: "foreign" | "unproven"; readonly why: string };

interface Own {
  readonly pk: string | null;
  readonly head: number;
  /** The hash of the entry at that seq. */
  readonly hash: string | null;
}

/** A commit can be visible on a replica before it is on the primary, which first waits for its replicas: soon both show it. */
const CATCH_UP_TRIES = 20;
const CATCH_UP_MS = 100;

/**
 * The claim is read before this is called. So if both are the same board, the log of `own` has reached that entry, or will reach it soon.
 * `formerPk`: the board's key until a moment ago.
 */
export async function compareBoards(own: Pick<Client, "query">, { pk, seq, hash }: Claim, formerPk?: string): Promise<SameBoard> {
  if (pk !== null && pk === formerPk) return { is: "unproven", why: "it does not have the board's new key yet" };
  let board: Own | undefined;
  for (let i = 0; i < CATCH_UP_TRIES; i++) {
    if (i > 0) await setTimeout(CATCH_UP_MS);
    [board] = await own.query<Own>("SELECT pk, seq AS head, (SELECT hash FROM log WHERE seq = $1) AS hash FROM board", [seq]);
    if (board === undefined || pk !== board.pk || seq <= board.head) break;
  }
  if (pk === null || board === undefined) return { is: "unproven", why: "it has no copy of the board yet" };
  if (pk !== board.pk) return { is: "foreign", why: `it holds another board (public key ${pk}; this board's is ${board.pk})` };
  if (seq > board.head) return { is: "foreign", why: `its log ends at entry ${seq}, and this board's log at ${board.head}` };
  const entry = seq === 0 ? GENESIS : board.hash;
  if (entry === null) return { is: "unproven", why: `its log ends at entry ${seq}, which this board's log no longer has` };
  return entry === hash ? { is: "same" } : { is: "foreign", why: `its entry ${seq} differs from that of this board's log` };
}
