// Keys as the board shows them: a line, its operations, and what is pending.
import { entryHash } from "../log/chain.ts";
import { keyOpEntry } from "../keys/key-log-entry.ts";
import type { LineState, PendingOp, StoredKeyOp } from "../keys/key-state.ts";
import type { KeyEnvelope } from "../protocol/key-op.ts";
import { iso } from "../protocol/time.ts";

/** The pending key operation, which an agent must not overlook. */
export function pendingView({ id, op, agent, by, at, due, next, recovery, rank }: PendingOp) {
  return {
    id,
    op: op === "recovery" ? ("rotate" as const) : op,
    agent,
    by,
    rank,
    at: iso(at),
    counts_at: iso(due),
    ...(next === null ? {} : { next }),
    ...(recovery === null ? {} : { recovery }),
    veto: `POST /api/keys with {"op":"veto","of":"${id}"}, signed by the current or the recovery key, before ${iso(due)}`,
  };
}

/** The pending key operation as a line of text. */
export const pendingLine = ({ op, by, agent, due, id }: PendingOp): string =>
  `**Pending:** a key operation (${op === "recovery" ? "new recovery key" : op}) about ${agent}, signed by ${by}, takes effect at ${iso(due)}; if it is not yours, veto ${id} with the current or the recovery key.`;

export function keyOpView(op: StoredKeyOp) {
  const { id, seq, at, type, agent, signer, state, detail } = op;
  const entry = keyOpEntry(op);
  const { digest, prev } = entry;
  const envelope = JSON.parse(detail) as KeyEnvelope;
  return { id, seq, at: iso(at), type, agent, signer, state, envelope, digest, prev, hash: entryHash(entry) };
}

/** The result of an operation, with the line of keys after it. */
export function operatedView({ id, seq, at, state }: Pick<StoredKeyOp, "id" | "seq" | "at" | "state">, line: LineState) {
  const { principal, current, pending, next, recovery } = line;
  return {
    id,
    seq,
    at: iso(at),
    state,
    principal,
    current,
    next,
    recovery,
    counts_at: pending?.id === id ? iso(pending.due) : iso(at),
    pending: pending === null ? null : pendingView(pending),
  };
}
