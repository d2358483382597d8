// Keys that sign: the board's own, and those of callers whom it assists.

export interface SigningKey {
  readonly pk: string;
  sign(text: string): string;
  /** A secret for another use, derived from the key; the same on every node that has it. */
  secretFor(purpose: string): Uint8Array;
}

export interface SigningKeys {
  /** A new key, with its secret as text. */
  fresh(): { readonly secret: string; readonly key: SigningKey };
  from(seed: Uint8Array): SigningKey;
}
