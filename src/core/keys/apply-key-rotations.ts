// How a line of keys continues: rotations that take effect, and pending operations whose time has come.
import { LIMITS } from "../protocol/limits.ts";
import {
  childrenAfter,
  type KeyEffect,
  KEY_WAIT_MS,
  type KeyLedger,
  type KeyState,
  type LineState,
  liveChildren,
  newKeyState,
  type PendingOp,
} from "./key-state.ts";

/** `agent`: the key that the new key replaces; `from` in milliseconds. */
interface Succession extends Pick<PendingOp, "agent" | "rank" | "next" | "from" | "at"> {
  readonly signer: string;
  readonly pk: string;
}

/** Makes the new key the current one; the former key can sign nothing more. Returns the stored line, without its pending operation. */
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
      // If `agent` is not the current key, the recovery key contests the rotation that replaced it. It may do so only once.
      contest: old === line.current && old === agent ? contest : null,
    });
  }
  if (change.from !== null) markRevoked(ledger, childrenAfter(ledger, line, change.from), change.from);
  const known = ledger.key(signer) ?? newKeyState(signer, pk, line.principal, "own");
  ledger.putKey({ ...known, role: "own", predecessor: agent });
  ledger.seeAgent(signer, pk);
  const moved = { ...withFormer(ledger, line, at), current: signer, members: [...line.members, signer], next: change.next };
  ledger.putLine(moved);
  return { line: moved, effect: { type: "pass", from: [line.current, ...children], to: signer } };
}

/** The children that the line had until now are former ones; those whose messages have all expired are dropped. */
function withFormer(ledger: KeyLedger, { former = [], ...line }: LineState, at: number): LineState {
  const left = childrenAfter(ledger, { children: [...former, ...line.children] }, at - LIMITS.ttl_max_s * 1000);
  return { ...line, children: [], ...(left.length === 0 ? {} : { former: left }) };
}

export const earliest = (known: number | null, from: number | null): number | null =>
  known === null || from === null ? (known ?? from) : Math.min(known, from);

export function markRevoked(ledger: KeyLedger, agents: readonly string[], from: number): void {
  for (const agent of agents) {
    const key = ledger.key(agent);
    if (key !== undefined) ledger.putKey({ ...key, revokedSince: earliest(key.revokedSince, from) });
  }
}

export interface DueOperation {
  /** The operation that takes effect now. */
  readonly id: string;
  readonly agent: string;
  readonly effect: KeyEffect | undefined;
}

/** Applies a pending operation that is due, before anything else that happens at that time or later. Returns undefined if none is due. */
export function applyDue(ledger: KeyLedger, principal: string): DueOperation | undefined {
  const line = ledger.line(principal);
  const pending = line?.pending ?? null;
  if (line === undefined || pending === null || pending.due > ledger.now) return undefined;
  const { id, op, agent, by, rank, next, recovery, from } = pending;
  const cleared = { ...line, pending: null };
  ledger.setOpState(id, "counted");
  if (op === "rotate") {
    const pk = (ledger.key(by) as KeyState).pk;
    // The new recovery key was pending together with the rotation.
    const renewed = { ...cleared, recovery: recovery ?? line.recovery };
    const done = succeed(ledger, renewed, { signer: by, pk, agent, rank, next, from, at: ledger.now });
    return { id, agent, effect: done.effect };
  }
  ledger.putLine({ ...cleared, next: op === "commit" ? next : line.next, recovery: recovery ?? line.recovery });
  return { id, agent, effect: undefined };
}
