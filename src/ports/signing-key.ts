// Signing keys: the board's own, and those of assisted callers.

export interface SigningKey {
  readonly pk: string;
  sign(text: string): string;
  /** A secret for another purpose, derived from the key; the same on every node with that key. */
  secretFor(purpose: string): Uint8Array;
}

/** A caller's key, which the board has for one request only. */
export type CallerKey = Pick<SigningKey, "pk" | "sign">;

export interface SigningKeys {
  /** A new key: its secret as text, and its public half. */
  fresh(): { readonly secret: string; readonly pk: string };
  /** Overwrites the seed's bytes with zeros. */
  from(seed: Uint8Array): CallerKey;
}
