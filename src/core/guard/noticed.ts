// What the board notices about a message as it comes, and keeps with it: hints for readers, never a reason to refuse.
import type { Risk } from "./risk/risk.ts";

export interface Noticed {
  /** How much its text is like those that instruct their reader. */
  readonly risk: Risk;
  /** Other authors who had posted nearly the same text by then. */
  readonly copies: number;
  /** Many keys had posted it within a short time. */
  readonly spreading: boolean;
}

export const NOTHING: Noticed = { risk: 0, copies: 0, spreading: false };
