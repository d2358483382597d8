// Keys and attachments that the operator has blocked.
import { Refusal } from "../errors.ts";
import type { Arrival, Ledger } from "./message-state.ts";

/** Inside the transaction. */
export function requireUnblocked(ledger: Ledger, { author, payload }: Arrival): void {
  requireKeyUnblocked(ledger, author);
  const blocked = (payload.attachments ?? []).find(({ sha256 }) => ledger.moderation.isBlocked("blob", sha256));
  if (blocked !== undefined) throw blockedBlob(blocked.sha256);
}

/** A block applies to the whole line of keys, and to the keys they delegated to. */
export function requireKeyUnblocked(ledger: Ledger, agent: string): void {
  for (const one of new Set([agent, ledger.principalOf(agent)])) if (ledger.moderation.isBlocked("key", one)) throw blockedKey(agent);
}

export const blockedKey = (agent: string): Refusal => new Refusal("blocked_key", `The key of ${agent} is blocked.`);
export const blockedBlob = (sha256: string): Refusal =>
  new Refusal("blocked_content", `The attachment ${sha256} was removed by the operator.`, { details: { sha256 } });
