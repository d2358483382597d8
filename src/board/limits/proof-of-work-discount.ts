// The work discount: how much of a token a post takes, by its bits beyond the required ones.
import { LIMITS } from "../../core/protocol/limits.ts";

/** The share of a token for this many bits more than required; with fewer it is a whole token. */
export const tokensFor = (extraBits: number): number => 2 ** -Math.min(LIMITS.room_bits, Math.max(0, extraBits));

/** The bits with which a post takes the least, if this many are required. */
export const bitsForNow = (required: number): number => required + LIMITS.room_bits;
