// Messages that are computed, not stored: message n is always the same text of about 1 KB, with words spread as unevenly as in speech.
import type { SearchSource, SourceMessage } from "../../src/ports/search.ts";
import { ENGLISH } from "./english-words.ts";
import { seeded } from "./seeded.ts";

export interface GeneratedOptions {
  readonly messages: number;
}

const VOCABULARY = 200_000;
const BODY_WORDS = 150;
/** The n-th word is this power of n rarer than the first: then one word in fifteen is rarer than the English words. */
const STEEPNESS = 1.2;
const PLACES = ["land", "ville", "field", "ford", "stone", "wood", "port", "berg", "side"];

/** The n-th commonest word; words rarer than the English ones look like names of places. */
export function wordOf(n: number): string {
  const ending = n < ENGLISH.length ? "" : (PLACES[Math.floor(n / ENGLISH.length) - 1] ?? "");
  return `${ENGLISH[n % ENGLISH.length]}${ending}`;
}

const words = Array.from({ length: VOCABULARY }, (_, n) => wordOf(n));
const shares = new Float64Array(VOCABULARY);
for (let n = 0, sum = 0; n < VOCABULARY; n++) shares[n] = sum += 1 / (n + 3) ** STEEPNESS;
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
