// Ed25519 by the formulas of RFC 8032 with big integers: slow, but short enough to check by reading.
import { createHash } from "node:crypto";

const P = 2n ** 255n - 19n;
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** In the extended coordinates of RFC 8032, section 5.1.4: x = X/Z, y = Y/Z, x*y = T/Z. */
export type Point = readonly [X: bigint, Y: bigint, Z: bigint, T: bigint];

const mod = (n: bigint, m = P): bigint => ((n % m) + m) % m;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; b = (b * b) % P, e >>= 1n) if (e & 1n) result = (result * b) % P;
  return result;
}
const inverse = (n: bigint): bigint => power(n, P - 2n);
const D = mod(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

export const NEUTRAL: Point = [0n, 1n, 1n, 0n];

export function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = mod((y1 + x1) * (y2 + x2));
  const c = mod(t1 * 2n * D * t2);
  const d = mod(z1 * 2n * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

export function times(n: bigint, point: Point): Point {
  let result = NEUTRAL;
  for (let p = point, e = n; e > 0n; p = add(p, p), e >>= 1n) if (e & 1n) result = add(result, p);
  return result;
}

export const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`);
export const encodeScalar = (n: bigint): Buffer => Buffer.from(Buffer.from(n.toString(16).padStart(64, "0"), "hex").toReversed());

export function encodePoint([x, y, z]: Point): Buffer {
  const scale = inverse(z);
  return encodeScalar(mod(y * scale) | ((mod(x * scale) & 1n) << 255n));
}

/** The point, or undefined if the bytes are not its canonical encoding. */
export function decodePoint(bytes: Uint8Array): Point | undefined {
  const number = littleEndian(bytes);
  const y = number & (2n ** 255n - 1n);
  if (y >= P) return undefined;
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * ROOT_OF_MINUS_ONE);
  if (mod(x * x) !== square) return undefined;
  const odd = number >> 255n;
  if (x === 0n && odd === 1n) return undefined;
  if ((x & 1n) !== odd) x = mod(-x);
  return [x, y, 1n, mod(x * y)];
}

export const samePoint = (a: Point, b: Point): boolean => mod(a[0] * b[2] - b[0] * a[2]) === 0n && mod(a[1] * b[2] - b[1] * a[2]) === 0n;
export const BASE = decodePoint(Buffer.from("58".padEnd(64, "6"), "hex")) ?? NEUTRAL;

/** A point of order 8. */
export const TORSION = decodePoint(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex")) ?? NEUTRAL;

export const challenge = (r: Uint8Array, key: Uint8Array, message: Uint8Array): bigint =>
  mod(littleEndian(createHash("sha512").update(r).update(key).update(message).digest()), L);

/** The strict rule: canonical points that are not of low order, a reduced scalar, and S*B = R + k*A without the cofactor. */
export function strictlyValid(key: Uint8Array, sig: Uint8Array, message: Uint8Array): boolean {
  if (key.length !== 32 || sig.length !== 64) return false;
  const a = decodePoint(key);
  const r = decodePoint(sig.subarray(0, 32));
  const s = littleEndian(sig.subarray(32));
  if (a === undefined || r === undefined || s >= L) return false;
  if (samePoint(times(8n, a), NEUTRAL) || samePoint(times(8n, r), NEUTRAL)) return false;
  return samePoint(times(s, BASE), add(r, times(challenge(sig.subarray(0, 32), key, message), a)));
}
