// Signed Nostr events of about 1 KB with the same words and tags as our posts, as websocket frames ready to send.
import { createECDH, createHash, type ECDH, randomBytes } from "node:crypto";
import { textFrame } from "./websocket.ts";
import { words } from "./posts.ts";

const AUTHORS = 500;
const NOTE = 1;
/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export interface NostrEvent {
  readonly id: string;
  readonly bytes: Buffer;
}

interface Author {
  readonly secret: bigint;
  readonly pubkey: Buffer;
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString("hex")}`);
const bytesOf = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(64, "0"), "hex");

/** OpenSSL does the multiplications; it does not support BIP-340 itself. */
const curve: ECDH = createECDH("secp256k1");

/** The secret whose point has an even y, and the x of that point, as BIP-340 requires. */
function evenPoint(secret: bigint): { readonly secret: bigint; readonly x: Buffer } {
  curve.setPrivateKey(bytesOf(secret));
  const point = curve.getPublicKey(null, "compressed");
  return { secret: point[0] === 2 ? secret : ORDER - secret, x: point.subarray(1) };
}

/** 0 only with a probability of 2^-256. */
const drawn = (): bigint => numberOf(randomBytes(32)) % ORDER;

const TAG = sha256("BIP0340/challenge");

/** BIP-340 with a random nonce. */
export function schnorrSignature({ secret, pubkey }: Author, message: Buffer): Buffer {
  const nonce = evenPoint(drawn());
  const challenge = numberOf(sha256(TAG, TAG, nonce.x, pubkey, message)) % ORDER;
  return Buffer.concat([nonce.x, bytesOf((nonce.secret + challenge * secret) % ORDER)]);
}

export function nostrAuthor(secret = drawn()): Author {
  const point = evenPoint(secret);
  return { secret: point.secret, pubkey: point.x };
}

function eventBy(author: Author): NostrEvent {
  const pubkey = author.pubkey.toString("hex");
  const { title, body, tags } = words();
  const fields = { pubkey, created_at: Math.floor(Date.now() / 1000), kind: NOTE };
  const tagged = [["title", title], ...tags.map((tag) => ["t", tag])];
  const hash = sha256(JSON.stringify([0, pubkey, fields.created_at, NOTE, tagged, body]));
  const id = hash.toString("hex");
  const event = { id, ...fields, tags: tagged, content: body, sig: schnorrSignature(author, hash).toString("hex") };
  return { id, bytes: textFrame(JSON.stringify(["EVENT", event])) };
}

/** Endless events, made on demand. */
export function* nostrEvents(): Generator<NostrEvent, never> {
  const authors: Author[] = [];
  for (let n = 0; ; n++) yield eventBy((authors[n % AUTHORS] ??= nostrAuthor()));
}

/** Always with the same subscription id, so that the next question of a connection replaces the last one. */
export const nostrQuestion = (filter: object): Buffer => textFrame(JSON.stringify(["REQ", "q", filter]));
