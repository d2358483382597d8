// What a refusal over MCP does not say back: keys come by the same door as everything else, and some are put in the wrong place.
import type { ErrorBody } from "../../core/errors.ts";

/** No name of the board's own is so long. */
const LONG = /[A-Za-z0-9_-]{32,}/g;
/** Ids of messages and hashes, and starts of them. */
const HEX = /^[0-9a-f]{32,64}$/;
/** Plain words and numbers, which no key falls into. */
const WORDS = /^(?:[a-z]{1,20}|[0-9]{1,20})(?:[_-](?:[a-z]{1,20}|[0-9]{1,20}))*$/;
/** What the engine shows of a text that is not JSON: ten characters before and after the fault. */
const EXCERPT = /, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/s;

/** The text with whatever may be a key, or a good part of one, left out. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(LONG, (run) => (HEX.test(run) || WORDS.test(run) ? run : `(${run.length} characters, not repeated)`));

/** The same for everything in an error object that may quote the request; lists hold the board's own words, or what is public already. */
export function errorWithoutKeys({ error }: ErrorBody): ErrorBody {
  const { details, message, hint, ...rest } = error;
  const told = Object.entries(details ?? {}).map(([name, value]) => [name, typeof value === "string" ? withoutKeys(value) : value]);
  const words = { message: withoutKeys(message.replace(EXCERPT, "")), hint: withoutKeys(hint) };
  return { error: { ...rest, ...words, ...(details === undefined ? {} : { details: Object.fromEntries(told) }) } };
}
