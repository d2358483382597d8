// The board's own key.

export interface SigningKey {
  readonly pk: string;
  sign(text: string): string;
}
