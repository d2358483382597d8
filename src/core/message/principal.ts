// Maps a key to its principal. If a rule says own, author, addressee or one per agent, it means the principal. A lease belongs to the key
// itself.
import { Refusal } from "../errors.ts";

export interface PrincipalLedger {
  /** The agent for which this key acts, from its first act on, permanently. */
  principalOf(agent: string): string;
}

/** Whether two keys act for the same agent. */
export const isSameAgent = (ledger: PrincipalLedger, one: string, other: string): boolean =>
  one === other || ledger.principalOf(one) === ledger.principalOf(other);

/** The first key with an agent id owns it: `owner`, if there is one yet. */
export function requireOwner(agent: string, pk: string, owner: string | undefined): void {
  if (owner !== undefined && owner !== pk) throw new Refusal("agent_id_collision", `Another key owns ${agent}.`);
}
