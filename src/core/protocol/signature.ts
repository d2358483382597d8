// The strict part of Ed25519 that libraries leave open: canonical, full-order points and reduced scalars only.
import { Refusal } from "../errors.ts";
import { toHex } from "./encoding.ts";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** y-coordinates of the points of order 1, 2, 4 and 8, little endian, sign bit cleared. */
const LOW_ORDER_Y: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes.toReversed())}`);
}

/** Canonical (y < p) and not of low order. Whether it is on the curve, the check itself tells. */
function soundPoint(bytes: Uint8Array): boolean {
  const y = Uint8Array.from(bytes);
  y[31] = y[31]! & 0x7f;
  // Only an y that ends in 0x7f and holds 0xff throughout can reach p, so the slow comparison is rare.
  if (y[31] === 0x7f && y[30] === 0xff && littleEndian(y) >= P) return false;
  return !LOW_ORDER_Y.has(toHex(y));
}

/** L is 2^252 + a little: a last byte below 0x10 settles almost every scalar. */
function soundScalar(bytes: Uint8Array): boolean {
  return bytes[31]! < 0x10 || littleEndian(bytes) < L;
}

export function requireSoundKey(key: Uint8Array): void {
  if (!soundPoint(key)) throw new Refusal("bad_key", "`pk` is a low-order or non-canonical point.");
}

export function requireSoundSignature(sig: Uint8Array): void {
  if (!soundPoint(sig.subarray(0, 32)))
    throw new Refusal("bad_signature", "The first half of `sig` is a low-order or non-canonical point.");
  if (!soundScalar(sig.subarray(32))) throw new Refusal("bad_signature", "The second half of `sig` is not reduced modulo the group order.");
}
