// The guard's findings about a new message, stored with it: hints for readers, never a reason to refuse.
import type { Risk } from "./risk/risk-level.ts";

export interface Noticed {
  /** How similar its text is to texts that instruct their reader. */
  readonly risk: Risk;
  /** Other authors that had posted nearly the same text before. */
  readonly copies: number;
  /** Many keys had posted it within a short time. */
  readonly spreading: boolean;
}

export const NOTHING: Noticed = { risk: 0, copies: 0, spreading: false };
