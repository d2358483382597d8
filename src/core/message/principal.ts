// Whose key it is: where a rule says own, author, addressee or one per agent, it means the principal. A lease is held by the key itself.

export interface PrincipalLedger {
  /** The agent for whom this key acts, from its first act on and for ever. */
  principalOf(agent: string): string;
}

/** Whether two keys act for the same agent. */
export const isSameAgent = (ledger: PrincipalLedger, one: string, other: string): boolean =>
  one === other || ledger.principalOf(one) === ledger.principalOf(other);
