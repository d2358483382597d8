// Finds long runs of the characters of tokens, hashes and encoded texts; few ordinary texts have any.

/** Letters, digits and `+ / _ -`. */
const TOKEN_CHAR = /[A-Za-z0-9+/_-]/;
const TOKEN_CHARS = Uint8Array.from({ length: 128 }, (_, code) => (TOKEN_CHAR.test(String.fromCharCode(code)) ? 1 : 0));

/**
 * The start of the next run of this length; -1 if there is none. It checks the last character of a possible run first and jumps over
 * stretches that cannot contain a run, so most characters are never read.
 */
export function nextRun(text: string, length: number, after = 0): number {
  let from = after;
  for (let at = from + length - 1; at < text.length; at = from + length - 1) {
    while (at >= from && TOKEN_CHARS[text.charCodeAt(at)] === 1) at--;
    if (at < from) return from;
    from = at + 1;
  }
  return -1;
}

const RUN = new RegExp(`${TOKEN_CHAR.source}*`, "y");

export function endOfRun(text: string, start: number): number {
  RUN.lastIndex = start;
  RUN.test(text);
  return RUN.lastIndex;
}
