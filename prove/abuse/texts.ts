// Texts that cost a board more than their length.
import { LIMITS } from "../../src/core/protocol/limits.ts";

/** Few bytes, and as many cells as a table can have: what is missing in a row is filled up. */
export const TABLE = `${"|a".repeat(900)}|\n${"|-".repeat(900)}|\n${"|\n".repeat(150)}`;

/** Four bytes a character, and twelve where it is written by its number. */
export const LARGE_BODY = "\u{1f600}".repeat(LIMITS.body_chars);
