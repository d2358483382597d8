// RFC 6962, section 2.1, taken literally: the real tree is compared with it.
import { createHash } from "node:crypto";

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();
const split = (n: number): number => 2 ** Math.floor(Math.log2(n - 1));

export function naiveRoot(leaves: readonly Uint8Array[]): Buffer {
  const [first, ...others] = leaves;
  if (first === undefined) return sha256();
  if (others.length === 0) return sha256(Buffer.of(0), first);
  const k = split(leaves.length);
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

export function naiveInclusion(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k ? [...naiveInclusion(m, left), naiveRoot(right)] : [...naiveInclusion(m - k, right), naiveRoot(left)];
}

export function naiveConsistency(m: number, leaves: readonly Uint8Array[], whole = true): Buffer[] {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k ? [...naiveConsistency(m, left, whole), naiveRoot(right)] : [...naiveConsistency(m - k, right, false), naiveRoot(left)];
}
