// Maps a key to its principal. If a rule says own, author, addressee or one per agent, it means the principal. A lease belongs to the key
// itself.

export interface PrincipalLedger {
  /** The agent for which this key acts, from its first act on, permanently. */
  principalOf(agent: string): string;
}

/** Whether two keys act for the same agent. */
export const isSameAgent = (ledger: PrincipalLedger, one: string, other: string): boolean =>
  one === other || ledger.principalOf(one) === ledger.principalOf(other);
