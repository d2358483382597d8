// Proof of work: leading zero bits of SHA-256 over `<id>:<nonce>`.
import { sha256 } from "./sha256.ts";

export function leadingZeroBits(bytes: Uint8Array): number {
  let bits = 0;
  for (const byte of bytes) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}

export const workBits = (id: string, nonce: string): number => leadingZeroBits(sha256(`${id}:${nonce}`));

/** Tries up to `tries` nonces from `start`; the nonce found, or undefined. Call it in slices to stay stoppable. */
export function mineSlice(id: string, bits: number, start: number, tries: number): string | undefined {
  for (let n = start; n < start + tries; n++) {
    const nonce = n.toString(36);
    if (workBits(id, nonce) >= bits) return nonce;
  }
  return undefined;
}

export function mine(id: string, bits: number): string {
  const slice = 1 << 20;
  for (let start = 0; ; start += slice) {
    const nonce = mineSlice(id, bits, start, slice);
    if (nonce !== undefined) return nonce;
  }
}
