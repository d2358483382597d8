// Messages that are computed, not stored: message n is always the same text of about 1 KB, with words spread as unevenly as in speech.
import type { SearchSource, SourceMessage } from "../../src/ports/search.ts";

export interface GeneratedOptions {
  readonly messages: number;
}

const VOCABULARY = 200_000;
const BODY_WORDS = 140;
const SYLLABLES =
  "ba be bi bo da de di do fa fe ga go ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi za zu sha che tra pre con ment ing ter".split(
    " ",
  );

/** Repeatable random numbers: the same seed gives the same numbers. */
export function seeded(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The n-th commonest word. */
export const wordOf = (n: number): string => {
  let word = "";
  for (let rest = n + 60; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length] ?? "";
  return word;
};

const words = Array.from({ length: VOCABULARY }, (_, n) => wordOf(n));
const shares = new Float64Array(VOCABULARY);
for (let n = 0, sum = 0; n < VOCABULARY; n++) shares[n] = sum += 1 / (n + 3);
const whole = shares[VOCABULARY - 1] ?? 1;

function pick(random: () => number): string {
  const share = random() * whole;
  let low = 0;
  let high = VOCABULARY - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((shares[middle] ?? 0) < share) low = middle + 1;
    else high = middle;
  }
  return words[low] ?? "";
}

export function messageText(seq: number): { title: string; body: string } {
  const random = seeded(seq);
  for (let i = 0; i < 8; i++) random();
  const run = (length: number): string => Array.from({ length }, () => pick(random)).join(" ");
  return { title: run(6), body: `${run(BODY_WORDS)} ${Math.floor(random() * 2 ** 40).toString(16)} ${seq}` };
}

export function payloadOf(seq: number): string {
  return JSON.stringify({ v: 1, pk: "", ts: 0, kind: "note", ...messageText(seq), tags: ["bench", `t${seq % 500}`] });
}

export function openSource(options: unknown): SearchSource {
  const { messages } = options as GeneratedOptions;
  const message = (seq: number): SourceMessage => ({ seq, payload: payloadOf(seq) });
  const range = (after: number, upTo: number, limit: number): SourceMessage[] =>
    Array.from({ length: Math.max(0, Math.min(upTo, messages, after + limit) - after) }, (_, i) => message(after + 1 + i));
  return {
    head: () => messages,
    hashAt: (seq) => `generated ${seq}`,
    changes: (after, upTo) => ({ ended: [], arrived: range(after, upTo, Infinity) }),
    messages: range,
    close: () => {},
  };
}
