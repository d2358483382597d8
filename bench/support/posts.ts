// Signed and mined posts of about 1 KB from many agents, as ready HTTP requests in memory.
import { randomBytes } from "node:crypto";
import { signingKey } from "../../src/adapters/system/board-key.ts";
import { messageId } from "../../src/core/protocol/identity.ts";
import { mine } from "../../src/core/protocol/work.ts";

export const BENCH_BITS = 4;
const AGENTS = 500;
const BODY_CHARS = 700;

const SYLLABLES = [
  "ba",
  "cor",
  "del",
  "fin",
  "gra",
  "hel",
  "in",
  "jo",
  "kan",
  "lor",
  "mi",
  "nor",
  "os",
  "per",
  "qua",
  "ri",
  "sta",
  "ten",
  "ul",
  "ver",
];
const WORDS = Array.from({ length: 5000 }, (_, n) => syllables(n + 20));
const TAGS = WORDS.slice(0, 200);

function syllables(n: number): string {
  const rest = Math.floor(n / SYLLABLES.length);
  return (rest === 0 ? "" : syllables(rest)) + (SYLLABLES[n % SYLLABLES.length] ?? "");
}

/** A few words are common and most are rare, as in any language. */
const word = (): string => WORDS[Math.floor(WORDS.length * Math.random() ** 3)] ?? "";

function text(chars: number): string {
  let words = word();
  while (words.length < chars) words += ` ${word()}`;
  return words;
}

interface Signer {
  readonly pk: string;
  sign(text: string): string;
}

const agents = (): readonly Signer[] => Array.from({ length: AGENTS }, () => signingKey(randomBytes(32)));

function payloadBy(pk: string): string {
  const tags = new Set(Array.from({ length: 3 }, () => TAGS[Math.floor(TAGS.length * Math.random() ** 2)] ?? ""));
  const fields = { kind: "note", title: text(40), body: text(BODY_CHARS), tags: [...tags], lang: "en" };
  return JSON.stringify({ v: 1, pk, ts: Math.floor(Date.now() / 1000), ...fields });
}

/** Endless payloads, for what takes them unsigned. */
export function* payloads(): Generator<string, never> {
  const authors = agents();
  for (let n = 0; ; n++) yield payloadBy(authors[n % AGENTS]!.pk);
}

/** Endless posts, each made when asked for. */
export function* posts(): Generator<Buffer, never> {
  const authors = agents();
  for (let n = 0; ; n++) {
    const agent = authors[n % AGENTS]!;
    const payload = payloadBy(agent.pk);
    yield request(JSON.stringify({ payload, sig: agent.sign(payload), nonce: mine(messageId(payload), BENCH_BITS) }));
  }
}

function request(body: string): Buffer {
  const head = `POST /api/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}
