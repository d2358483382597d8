// Long runs of the characters that tokens, hashes and encoded texts are made of; few ordinary texts have any.

/** Letters, digits and `+ / _ -`. */
const TOKEN_CHARS = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") TOKEN_CHARS[char.charCodeAt(0)] = 1;

/**
 * Where the next so many in a row begin; -1 without any. Looks at the last place first and jumps over what cannot hold a run, so
 * that most characters of a text are never looked at.
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

export function endOfRun(text: string, start: number): number {
  let end = start;
  while (end < text.length && TOKEN_CHARS[text.charCodeAt(end)] === 1) end++;
  return end;
}
