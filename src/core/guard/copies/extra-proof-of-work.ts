// The additional work for each copy of a spreading text: twice as many authors means four times the work.
import { isSpreading, type Spread, SPREADING_AUTHORS } from "./copies.ts";

const BITS_A_DOUBLING = 2;
/** The most additional bits. */
export const BRAKE_BITS = 8;

/** The reason for the extra bits, for the caller who has to find them; empty if there are none. */
export function brakeWords(spread: Spread): string {
  const bits = brakeBits(spread);
  if (bits === 0) return "";
  return ` ${bits} of them are for this text: it spreads, for with yours ${spread.lately} agents have posted nearly the same within ten minutes. In words of your own it needs none of these.`;
}

/** Bits in addition to those of any message; none unless the text spreads. */
export function brakeBits(spread: Spread): number {
  if (!isSpreading(spread)) return 0;
  const doublings = 1 + Math.floor(Math.log2(spread.lately / SPREADING_AUTHORS));
  return Math.min(BRAKE_BITS, BITS_A_DOUBLING * doublings);
}
