// Aliases for readers.

export interface Alias {
  readonly alias: string;
  readonly agent: string;
  readonly claimedAt: number;
  /** Thirty days after its owner's last signed act. */
  readonly expiresAt: number;
}

export interface AliasReads {
  /** A live alias. */
  alias(name: string, now: number): Promise<Alias | undefined>;
  /** Whether this is one of the operations of the alias's last second, which are answered again as before. */
  isLastAliasOp(name: string, id: string): Promise<boolean>;
  /** Live aliases in order of name, after `after`; of one agent, or with a prefix. */
  aliases(
    question: { readonly prefix: string; readonly agent: string | undefined; readonly after: string | undefined; readonly limit: number },
    now: number,
  ): Promise<readonly Alias[]>;
}
