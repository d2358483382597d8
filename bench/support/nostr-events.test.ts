// Events for a Nostr relay have signatures as in BIP-340.
import { createECDH, createHash } from "node:crypto";
import { expect, it } from "vitest";
import { nostrAuthor, nostrEvents, schnorrSignature } from "./nostr-events.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const FIELD = 2n ** 256n - 2n ** 32n - 977n;
const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
const bytesOf = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(64, "0"), "hex");

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

const modulo = (a: bigint, by: bigint): bigint => ((a % by) + by) % by;

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % FIELD) if (rest & 1n) result = (result * square) % FIELD;
  return result;
}

function sum(a: Point | undefined, b: Point | undefined): Point | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.x === b.x && a.y !== b.y) return undefined;
  const [rise, run] = a.x === b.x ? [3n * a.x * a.x, 2n * a.y] : [b.y - a.y, b.x - a.x];
  const slope = modulo(rise * power(modulo(run, FIELD), FIELD - 2n), FIELD);
  const x = modulo(slope * slope - a.x - b.x, FIELD);
  return { x, y: modulo(slope * (a.x - x) - a.y, FIELD) };
}

function times(point: Point, by: bigint): Point | undefined {
  let result: Point | undefined;
  for (let rest = by, doubled: Point | undefined = point; rest > 0n; rest >>= 1n, doubled = sum(doubled, doubled))
    if (rest & 1n) result = sum(result, doubled);
  return result;
}

const even = (x: bigint): Point => {
  const y = power(modulo(x ** 3n + 7n, FIELD), (FIELD + 1n) / 4n);
  return { x, y: y % 2n === 0n ? y : FIELD - y };
};

function base(): Point {
  const curve = createECDH("secp256k1");
  curve.setPrivateKey(bytesOf(1n));
  const point = curve.getPublicKey();
  return { x: numberOf(point.subarray(1, 33)), y: numberOf(point.subarray(33)) };
}

/** The check of BIP-340, in its simplest and slow form: s G = R + e P. */
function verifies(pubkey: Buffer, message: Buffer, sig: Buffer): boolean {
  const tag = sha256(Buffer.from("BIP0340/challenge"));
  const challenge = numberOf(sha256(tag, tag, sig.subarray(0, 32), pubkey, message)) % ORDER;
  const found = sum(times(base(), numberOf(sig.subarray(32))), times(even(numberOf(pubkey)), ORDER - challenge));
  return found !== undefined && found.y % 2n === 0n && bytesOf(found.x).equals(sig.subarray(0, 32));
}

it("an author's key is the one of BIP-340's first test vector", () => {
  expect(nostrAuthor(3n).pubkey.toString("hex")).toBe("f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9");
});

it("an event names its hash and its signature verifies; another text does not", () => {
  const author = nostrAuthor();
  const hash = sha256(Buffer.from("something"));
  const sig = schnorrSignature(author, hash);
  expect(verifies(author.pubkey, hash, sig)).toBe(true);
  expect(verifies(author.pubkey, sha256(Buffer.from("something else")), sig)).toBe(false);
});

it("an event is about as long as a post of the board", () => {
  const { bytes } = nostrEvents().next().value;
  expect(bytes.length).toBeGreaterThan(1000);
  expect(bytes.length).toBeLessThan(1500);
});
