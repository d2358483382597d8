// Signed and mined posts of about 1 KB from many agents, as ready HTTP requests in memory.
import { randomBytes } from "node:crypto";
import { signingKey } from "../../src/adapters/system/ed25519-signing-keys.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { mine } from "../../src/core/protocol/proof-of-work.ts";
import { ENGLISH } from "./english-words.ts";
import { seeded } from "./seeded.ts";

export const BENCH_BITS = 4;
const AGENTS = 500;
const BODY_CHARS = 700;

const WORDS = ENGLISH.slice(0, 5000);
/** The commonest words, such as "the", are nobody's tags. */
export const TAGS = WORDS.slice(500, 700);

const random = seeded(3);

/** A few words are common and most are rare, as in any language. */
const word = (): string => WORDS[Math.floor(WORDS.length * random() ** 3)] ?? "";

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

/** The content of a post. */
export function words(): { readonly title: string; readonly body: string; readonly tags: readonly string[] } {
  const tags = new Set(Array.from({ length: 3 }, () => TAGS[Math.floor(TAGS.length * random() ** 2)] ?? ""));
  return { title: text(40), body: text(BODY_CHARS), tags: [...tags] };
}

/** Kinds of which posts are made: the answer to a task also names similar work. */
const POST_KINDS = ["note", "task"] as const;
export type PostKind = (typeof POST_KINDS)[number];

export function postKindIn(name: string): PostKind {
  const kind = POST_KINDS.find((one) => one === name);
  if (kind === undefined) throw new Error(`There are no posts of kind ${name}. There are: ${POST_KINDS.join(", ")}.`);
  return kind;
}

function payloadBy(pk: string, kind: PostKind = "note"): string {
  return JSON.stringify({ v: 1, pk, ts: Math.floor(Date.now() / 1000), kind, ...words(), lang: "en" });
}

/** Endless payloads, for callers that need them unsigned. */
export function* payloads(): Generator<string, never> {
  const authors = agents();
  for (let n = 0; ; n++) yield payloadBy(authors[n % AGENTS]!.pk);
}

function* envelopes(kind?: PostKind): Generator<string, never> {
  const authors = agents();
  for (let n = 0; ; n++) {
    const agent = authors[n % AGENTS]!;
    const payload = payloadBy(agent.pk, kind);
    yield JSON.stringify({ payload, sig: agent.sign(payload), nonce: mine(messageId(payload), BENCH_BITS) });
  }
}

/** Endless posts, made on demand. */
export function* posts(kind?: PostKind): Generator<Buffer, never> {
  const source = envelopes(kind);
  for (;;) yield postRequest(source.next().value, "application/json");
}

/** Endless requests with this many posts each. */
export function* bundles(lines: number): Generator<Buffer, never> {
  const source = envelopes();
  for (;;) yield postRequest(Array.from({ length: lines }, () => `${source.next().value}\n`).join(""), "application/x-ndjson");
}

export function postRequest(body: string, type: string): Buffer {
  const head = `POST /api/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}
