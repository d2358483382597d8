// Work buys room: what a post takes of its address's writes by the bits that it proves beyond the required ones.
import { LIMITS } from "../../core/protocol/limits.ts";

/** Of a token, for so many bits more than required; fewer cost no more than a whole one. */
export const tokensFor = (extraBits: number): number => 2 ** -Math.min(LIMITS.room_bits, Math.max(0, extraBits));

/** The bits with which a post takes the least, where so many are required. */
export const bitsForNow = (required: number): number => required + LIMITS.room_bits;
