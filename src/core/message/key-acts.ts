// Operations on keys inside the transaction: the rules of core/keys, their log entries, and their effects on aliases and leases.
import { type KeyOp, operateKey, requireFewRecentChildren } from "../keys/key-rules.ts";
import type { KeyEffect, LineState, StoredKeyOp } from "../keys/key-state.ts";
import { applyDue } from "../keys/apply-key-rotations.ts";
import type { KeyEntryType } from "../log/entry-type.ts";
import { agentId } from "../protocol/message-and-agent-ids.ts";
import { type KeyEnvelope, keyDraftOf } from "../protocol/key-op.ts";
import { requireKeyUnblocked } from "./block-lists.ts";
import { release } from "./effects.ts";
import { requireOwner } from "./principal.ts";
import type { Ledger } from "./message-state.ts";

export interface KeyOutcome extends Pick<StoredKeyOp, "id" | "seq" | "at" | "state"> {
  /** It was accepted before. */
  readonly existed: boolean;
  /** The line as it is now. */
  readonly line: LineState;
}

export const performKey = (ledger: Ledger, op: KeyOp, detail: string): KeyOutcome =>
  operate(ledger, op, detail, (principal) => requireFewRecentChildren(ledger, op, principal));

/** `check` is called before the operation is logged. */
function operate(ledger: Ledger, op: KeyOp, detail: string, check: (principal: string) => void = () => {}): KeyOutcome {
  const { id, signer, payload } = op;
  applyAndLog(ledger, ledger.key(payload.agent)?.principal);
  const known = ledger.keyOp(id);
  if (known !== undefined) return keyOutcome(ledger, known, true);
  for (const agent of new Set([signer, payload.agent])) requireKeyUnblocked(ledger, agent);
  for (const pk of payload.op === "delegate" ? [payload.pk, payload.child] : [payload.pk]) {
    const agent = agentId(pk);
    requireOwner(agent, pk, (ledger.keyOf(agent) ?? ledger.key(agent)?.pk) || undefined);
  }
  const { principal, state, effects } = operateKey(ledger, op);
  check(principal);
  const type: KeyEntryType = `key_${payload.op}`;
  const { hash: prev } = ledger.head;
  const seq = ledger.log(type, payload.agent, detail);
  const stored: StoredKeyOp = { id, seq, at: ledger.now, type, principal, agent: payload.agent, signer, state, prev, detail };
  ledger.putKeyOp(stored);
  for (const effect of effects) apply(ledger, effect);
  return keyOutcome(ledger, stored, false);
}

/** An operation that was accepted before, so it is not checked again; it is from the log. */
export function replayKey(ledger: Ledger, detail: string): void {
  const envelope = JSON.parse(detail) as KeyEnvelope;
  const { id, signer, payload } = keyDraftOf(envelope);
  operate(ledger, { id, signer, payload, oldSigned: envelope.old_sig !== undefined }, detail);
}

function keyOutcome(ledger: Ledger, { id, seq, at, state, principal }: StoredKeyOp, existed: boolean): KeyOutcome {
  const line = ledger.line(principal);
  if (line === undefined) throw new Error(`The line of ${principal} is missing.`);
  return { id, seq, at, state, existed, line };
}

const AT_ONCE = 48;

/** Applies every pending operation that is due; there are few. */
export function applyAllDue(ledger: Ledger): void {
  for (let lines = ledger.dueLines(AT_ONCE); lines.length > 0; lines = ledger.dueLines(AT_ONCE))
    for (const { principal } of lines) applyAndLog(ledger, principal);
}

/** Applies the pending operation of a line, if it is due. */
function applyAndLog(ledger: Ledger, principal: string | undefined): void {
  const applied = principal === undefined ? undefined : applyDue(ledger, principal);
  if (applied === undefined) return;
  ledger.log("key_effect", applied.agent, JSON.stringify({ of: applied.id }));
  if (applied.effect !== undefined) apply(ledger, applied.effect);
}

function apply(ledger: Ledger, effect: KeyEffect): void {
  const agents = effect.type === "pass" ? effect.from : effect.of;
  for (const agent of agents) {
    for (const target of ledger.heldBy(agent)) {
      if (effect.type === "end") release(ledger, target);
      else {
        target.claimedBy = effect.to;
        ledger.update(target);
      }
    }
    for (const name of ledger.liveAliases(agent)) {
      const row = ledger.alias(name);
      if (row === undefined) continue;
      if (effect.type === "pass") ledger.putAlias({ ...row, agent: effect.to });
      else {
        ledger.putAlias({ ...row, endedAt: ledger.now });
        ledger.log("alias_expire", name, JSON.stringify({ agent }));
      }
    }
  }
}
