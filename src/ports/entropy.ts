// Randomness as the board needs it.

export interface Entropy {
  /** So many random bytes, as hex. */
  hex(bytes: number): string;
}
