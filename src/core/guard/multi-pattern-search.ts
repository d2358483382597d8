// Searches for many literals at once (Wu-Manber): pairs of characters that are in no literal let the search jump ahead.

export interface Markers {
  /** Whether one of the literals is in this part of the text. */
  within(text: string, from: number, end: number): boolean;
  /** Adds all literals of this part of the text to a set. */
  collect(text: string, from: number, end: number, into: Set<string>): void;
}

const SLOTS = 4096;
const slotOf = (first: number, second: number): number => ((first << 5) ^ second) & (SLOTS - 1);

/** The longer the shortest literal is, the farther the search jumps. Each literal has at least two characters. */
export function markers(literals: Iterable<string>): Markers {
  const all = [...new Set(literals)];
  const window = Math.min(...all.map(({ length }) => length));
  const jumps = new Uint8Array(SLOTS).fill(window - 1);
  const starts = new Uint8Array(SLOTS);
  const ending = new Map<number, string[]>();
  for (const literal of all) {
    for (let at = 1; at < window; at++) {
      const slot = slotOf(literal.charCodeAt(at - 1), literal.charCodeAt(at));
      jumps[slot] = Math.min(jumps[slot] ?? 0, window - 1 - at);
    }
    starts[slotOf(literal.charCodeAt(0), literal.charCodeAt(1))] = 1;
    const last = slotOf(literal.charCodeAt(window - 2), literal.charCodeAt(window - 1));
    ending.set(last, [...(ending.get(last) ?? []), literal]);
  }
  /** The first place from here on where a literal may stand, or -1. */
  const nextPlace = (text: string, from: number, end: number): number => {
    for (let at = from + window - 1; at < end;) {
      const jump = jumps[slotOf(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? 0;
      const start = at - window + 1;
      if (jump === 0 && starts[slotOf(text.charCodeAt(start), text.charCodeAt(start + 1))] === 1) return start;
      at += Math.max(1, jump);
    }
    return -1;
  };
  const standingAt = (text: string, at: number, end: number): readonly string[] =>
    (ending.get(slotOf(text.charCodeAt(at + window - 2), text.charCodeAt(at + window - 1))) ?? []).filter(
      (literal) => at + literal.length <= end && text.startsWith(literal, at),
    );

  return {
    within(text, from, end) {
      for (let at = nextPlace(text, from, end); at !== -1; at = nextPlace(text, at + 1, end))
        if (standingAt(text, at, end).length > 0) return true;
      return false;
    },
    collect(text, from, end, into) {
      for (let at = nextPlace(text, from, end); at !== -1; at = nextPlace(text, at + 1, end))
        for (const literal of standingAt(text, at, end)) into.add(literal);
    },
  };
}
