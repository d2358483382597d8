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
