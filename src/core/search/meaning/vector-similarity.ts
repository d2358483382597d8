// How similar two meanings are: exactly, by the angle between them, and roughly, by the signs of their numbers.

/** 0 to 1, 1 for the same direction; opposite directions count as unrelated. */
export function cosine(a: Int8Array, b: Int8Array): number {
  let dot = 0;
  let first = 0;
  let second = 0;
  for (let at = 0; at < a.length; at++) {
    const x = a[at]!;
    const y = b[at]!;
    dot += x * y;
    first += x * x;
    second += y * y;
  }
  // Sums of whole numbers are the same on every machine. Six digits, so that the same vector gives exactly 1.
  return dot <= 0 ? 0 : Math.round((dot / Math.sqrt(first * second)) * 1e6) / 1e6;
}

const WORD_BITS = 32;
/** The number of 32-bit words for the signs of this many numbers. */
export const signWords = (dimensions: number): number => Math.ceil(dimensions / WORD_BITS);

/** Writes one bit for each number, 1 if it is above 0, into 32-bit words from an offset on. */
export function writeSignBits(vector: Int8Array, into: Uint32Array, from: number): void {
  for (let at = 0, word = from; at < vector.length; word++) {
    let bits = 0;
    for (let bit = 0; bit < WORD_BITS && at < vector.length; bit++, at++) if (vector[at]! > 0) bits |= 1 << bit;
    into[word] = bits;
  }
}

/** The number of set bits. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
