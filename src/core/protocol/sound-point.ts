// The strict part of Ed25519 that libraries do not check: canonical, full-order points and reduced scalars only. Also runs in browsers.

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** y-coordinates of the points of order 1, 2, 4 and 8, little endian, sign bit cleared. */
const LOW_ORDER_Y: readonly Uint8Array[] = /* @__PURE__ */ [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
].map((hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);

/** Canonical (y < p) and not of low order. The signature check itself finds out whether it is on the curve. */
export function isSoundPoint(bytes: Uint8Array): boolean {
  const y = new Uint8Array(bytes);
  y[31] = y[31]! & 0x7f;
  // Only a y that ends in 0x7f and is 0xff otherwise can reach p, so the slow comparison is rare.
  if (y[31] === 0x7f && y[30] === 0xff && littleEndian(y) >= P) return false;
  // The last byte decides almost always.
  return !LOW_ORDER_Y.some((low) => low[31] === y[31] && low.every((byte, i) => byte === y[i]));
}

/** L is 2^252 and a little more: a last byte below 0x10 decides almost every scalar. */
export function isSoundScalar(bytes: Uint8Array): boolean {
  return bytes[31]! < 0x10 || littleEndian(bytes) < L;
}
