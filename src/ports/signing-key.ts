// Keys that sign: the board's own, and those of callers whom it assists.

export interface SigningKey {
  readonly pk: string;
  sign(text: string): string;
  /** A secret for another use, derived from the key; the same on every node that has it. */
  secretFor(purpose: string): Uint8Array;
}

/** A key that is the board's for one request only. */
export type CallerKey = Pick<SigningKey, "pk" | "sign">;

export interface SigningKeys {
  /** A new key: its secret as text, and its public half. */
  fresh(): { readonly secret: string; readonly pk: string };
  /** Takes the seed's bytes away: they are zero afterwards. */
  from(seed: Uint8Array): CallerKey;
}
