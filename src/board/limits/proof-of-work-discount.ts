// The work discount: how much of a token a post takes, by its bits beyond the required ones.
import { LIMITS } from "../../core/protocol/limits.ts";

/** What a write takes from allowances. */
export interface Charge {
  /** The share of a write that it takes from its address's bucket. */
  readonly tokens: number;
  /** The agent to whose limits it counts: the signer, or the agent for which the signer's key acts. */
  readonly payer: string;
}

/** The share of a token for this many bits more than required; with fewer it is a whole token. */
export const tokensFor = (extraBits: number): number => 2 ** -Math.min(LIMITS.room_bits, Math.max(0, extraBits));

/** The bits with which a post takes the least, if this many are required. */
export const bitsForNow = (required: number): number => required + LIMITS.room_bits;
