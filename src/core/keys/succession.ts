// How a line of keys goes on: a rotation that counts, and what waited and now counts.
import {
  type KeyEffect,
  KEY_WAIT_MS,
  type KeyLedger,
  type KeyState,
  type LineState,
  liveChildren,
  newKeyState,
  type Rank,
} from "./key-state.ts";

export interface Succession {
  readonly signer: string;
  readonly pk: string;
  /** The key of the line that it takes over from. */
  readonly agent: string;
  readonly rank: Rank;
  readonly next: string | null;
  /** In milliseconds. */
  readonly from: number | null;
  readonly at: number;
}

/** The new key is the current one from now on; the former key can sign nothing more. Returns the line as it is stored, without what is pending. */
export function succeed(ledger: KeyLedger, line: LineState, change: Succession): { readonly line: LineState; readonly effect: KeyEffect } {
  const { signer, pk, agent, rank, at } = change;
  const children = liveChildren(ledger, line);
  const contest = rank === "next" && line.recovery !== null ? { recovery: line.recovery, until: at + KEY_WAIT_MS } : null;
  for (const old of new Set([agent, line.current])) {
    const key = ledger.key(old) ?? newKeyState(old, "", line.principal, "own");
    ledger.putKey({
      ...key,
      successor: signer,
      endedAt: key.endedAt ?? at,
      revokedSince: earliest(key.revokedSince, change.from),
      // Once more, and no more.
      contest: old === line.current && old === agent ? contest : null,
    });
  }
  markRevoked(ledger, children, change.from);
  const known = ledger.key(signer) ?? newKeyState(signer, pk, line.principal, "own");
  ledger.putKey({ ...known, role: "own", predecessor: agent });
  ledger.seeAgent(signer, pk);
  const moved = { ...line, current: signer, members: [...line.members, signer], next: change.next, children: [] };
  ledger.putLine(moved);
  return { line: moved, effect: { type: "pass", from: [line.current, ...children], to: signer } };
}

export const earliest = (known: number | null, from: number | null): number | null =>
  known === null || from === null ? (known ?? from) : Math.min(known, from);

export function markRevoked(ledger: KeyLedger, agents: readonly string[], from: number | null): void {
  for (const agent of agents) {
    const key = ledger.key(agent);
    if (key !== undefined && from !== null) ledger.putKey({ ...key, revokedSince: earliest(key.revokedSince, from) });
  }
}

export interface DueOperation {
  /** The operation that counts now. */
  readonly id: string;
  readonly agent: string;
  readonly effect: KeyEffect | undefined;
}

/** What waited counts once its time has come, before anything else of that time or later. Undefined where nothing does. */
export function settleLine(ledger: KeyLedger, principal: string): DueOperation | undefined {
  const line = ledger.line(principal);
  const pending = line?.pending ?? null;
  if (line === undefined || pending === null || pending.due > ledger.now) return undefined;
  const { id, op, agent, by, rank, next, recovery, from } = pending;
  const settled = { ...line, pending: null };
  ledger.setOpState(id, "counted");
  if (op === "rotate") {
    const pk = (ledger.key(by) as KeyState).pk;
    const done = succeed(ledger, settled, { signer: by, pk, agent, rank, next, from, at: ledger.now });
    return { id, agent, effect: done.effect };
  }
  ledger.putLine({ ...settled, next: op === "commit" ? next : line.next, recovery: recovery ?? line.recovery });
  return { id, agent, effect: undefined };
}
