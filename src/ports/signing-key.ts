// The board's own key.

export interface SigningKey {
  readonly pk: string;
  sign(text: string): string;
  /** A secret for another use, derived from the key; the same on every node that has it. */
  secretFor(purpose: string): Uint8Array;
}
