// Removes keys from refusals over MCP: some callers put their key into a wrong field, and it must not be quoted.
import type { ErrorBody } from "../../core/errors.ts";

/** No name of the board is this long. */
const LONG = /[A-Za-z0-9_-]{32,}/g;
/** Message ids, hashes, and prefixes of them. */
const HEX = /^[0-9a-f]{32,64}$/;
/** Plain words and numbers, which are never keys. */
const WORDS = /^(?:[a-z]{1,20}|[0-9]{1,20})(?:[_-](?:[a-z]{1,20}|[0-9]{1,20}))*$/;
/** How much text the engine quotes around a JSON fault: ten characters before and after it. */
const EXCERPT = /, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/s;

/** The text without anything that may be a key or a large part of one. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(LONG, (run) => (HEX.test(run) || WORDS.test(run) ? run : `(${run.length} characters, not repeated)`));

/** Removes keys from all parts of an error object that may quote the request; lists contain only public text or names of the board. */
export function errorWithoutKeys({ error }: ErrorBody): ErrorBody {
  const { details, message, hint, ...rest } = error;
  const masked = Object.entries(details ?? {}).map(([name, value]) => [name, typeof value === "string" ? withoutKeys(value) : value]);
  const words = { message: withoutKeys(message.replace(EXCERPT, "")), hint: withoutKeys(hint) };
  return { error: { ...rest, ...words, ...(details === undefined ? {} : { details: Object.fromEntries(masked) }) } };
}
