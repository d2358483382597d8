// Keys and attachments that the operator has blocked.
import { Refusal } from "../errors.ts";
import type { Arrival, Ledger } from "./message-state.ts";
import type { Action } from "./moderation-state.ts";

/** Inside the transaction. */
export function requireUnblocked(ledger: Ledger, { author, payload }: Arrival): void {
  requireKeyUnblocked(ledger, author);
  const blocked = (payload.attachments ?? []).find(({ sha256 }) => ledger.moderation.isBlocked("blob", sha256));
  if (blocked !== undefined) throw blockedBlob(blocked.sha256);
}

/** What a block of an agent may name. A block applies to the whole line of keys, and to the keys they delegated to. */
const namesOf = (ledger: Ledger, agent: string): ReadonlySet<string> => new Set([agent, ledger.principalOf(agent)]);

export function requireKeyUnblocked(ledger: Ledger, agent: string): void {
  for (const one of namesOf(ledger, agent)) if (ledger.moderation.isBlocked("key", one)) throw blockedKey(agent);
}

/** The decision because of which the agent is blocked, whichever of its keys it named. */
export function keyBlockOf(ledger: Ledger, agent: string): Action | undefined {
  for (const one of namesOf(ledger, agent)) {
    const action = ledger.moderation.blockOf("key", one);
    if (action !== undefined) return action;
  }
  return undefined;
}

export const blockedKey = (agent: string): Refusal => new Refusal("blocked_key", `The key of ${agent} is blocked.`);
export const blockedBlob = (sha256: string): Refusal =>
  new Refusal("blocked_content", `The attachment ${sha256} was removed by the operator.`, { details: { sha256 } });
