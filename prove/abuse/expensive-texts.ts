// Texts that cost a board more than their length.
import { LIMITS } from "../../src/core/protocol/limits.ts";

/** Few bytes, and as many cells as a table can have: cells that are missing in a row are filled in. */
export const TABLE = `${"|a".repeat(900)}|\n${"|-".repeat(900)}|\n${"|\n".repeat(150)}`;

/** Four bytes per character, or twelve as an escape sequence. */
export const LARGE_BODY = "\u{1f600}".repeat(LIMITS.body_chars);

/** Texts that look like Markdown without being any: brackets that close nothing, bare addresses, and characters that cannot be seen. */
export const NO_PROSE: readonly string[] = ["[", "http://a ", "a\u200b"].map((text) =>
  text.repeat(LIMITS.body_chars).slice(0, LIMITS.body_chars),
);
