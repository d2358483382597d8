// Searches for many literals at once (Wu-Manber): pairs of characters that are in no literal let the search jump ahead.

export interface Markers {
  /** Whether one of the literals is in this part of the text. */
  within(text: string, from: number, end: number): boolean;
}

const SLOTS = 4096;
/**
 * A longer part is searched for one literal after the other: the engine's own search is fast from the first call on, while this loop is
 * slow until it is compiled.
 */
const LONG_CHARS = 32 * 1024;
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
  /** A function of its own, because inside the loop it would be a new closure each time. */
  const standsAt = (text: string, at: number, slot: number): boolean =>
    ending.get(slot)?.some((literal) => text.startsWith(literal, at)) ?? false;

  return {
    within(text, from, end) {
      if (end - from > LONG_CHARS) return all.some((literal) => isWithin(text, literal, from, end));
      for (let at = from + window - 1; at < end;) {
        const slot = slotOf(text.charCodeAt(at - 1), text.charCodeAt(at));
        const jump = jumps[slot] ?? 0;
        if (jump > 0) {
          at += jump;
          continue;
        }
        const start = at - window + 1;
        if (starts[slotOf(text.charCodeAt(start), text.charCodeAt(start + 1))] === 1 && standsAt(text, start, slot)) return true;
        at++;
      }
      return false;
    },
  };
}

function isWithin(text: string, literal: string, from: number, end: number): boolean {
  const at = text.indexOf(literal, from);
  return at !== -1 && at + literal.length <= end;
}
