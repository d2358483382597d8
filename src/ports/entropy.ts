// The board's source of randomness.

export interface Entropy {
  /** This many random bytes, as hex. */
  hex(bytes: number): string;
}
