// Proof of work: leading zero bits of SHA-256 over `<id>:<nonce>`. Also runs in browsers.
import { BLOCK_BYTES, compress, initialState, loadBlock, portableSha256, schedule } from "./portable-sha256.ts";

export function leadingZeroBits(bytes: Uint8Array): number {
  let bits = 0;
  for (const byte of bytes) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}

export const workBits = (id: string, nonce: string): number => leadingZeroBits(portableSha256(`${id}:${nonce}`));

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const ASCII = /* @__PURE__ */ new TextEncoder();
const COLON = 0x3a;
const END_OF_TEXT = 0x80;

/**
 * Tries up to `tries` nonces from `start`, counted in base 36; returns the nonce found, or undefined. Call it in slices so that it can be
 * stopped. An id fills exactly one block, so that block is hashed once and each try costs one more.
 */
export function mineSlice(id: string, bits: number, start: number, tries: number): string | undefined {
  const w = schedule();
  const afterId = initialState();
  loadBlock(w, ASCII.encode(id), 0);
  compress(afterId, w);
  const state = initialState();
  for (let n = start; n < start + tries;) {
    // Nonces that differ only in their last digit differ in one word.
    const { word, shift } = loadNonce(w, n);
    const without = w[word]!;
    const end = Math.min(start + tries, n - (n % 36) + 36);
    for (; n < end; n++) {
      w[word] = without | (DIGITS.charCodeAt(n % 36) << shift);
      compress(afterId, w, state);
      if (hasZeroBits(state, bits)) return n.toString(36);
    }
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

/** The last block: `:<nonce>`, the end mark, zeros and the total length in bits; the last digit is left empty. */
function loadNonce(w: Int32Array, n: number): { readonly word: number; readonly shift: number } {
  const text = ASCII.encode(n.toString(36));
  const block = new Uint8Array(BLOCK_BYTES);
  block[0] = COLON;
  block.set(text, 1);
  block[text.length] = 0;
  block[text.length + 1] = END_OF_TEXT;
  new DataView(block.buffer).setUint32(BLOCK_BYTES - 4, (BLOCK_BYTES + 1 + text.length) * 8);
  loadBlock(w, block, 0);
  return { word: text.length >> 2, shift: 24 - 8 * (text.length & 3) };
}

function hasZeroBits(state: Int32Array, bits: number): boolean {
  let left = bits;
  for (let i = 0; left > 0; i++, left -= 32) {
    if (Math.clz32(state[i]!) < Math.min(left, 32)) return false;
  }
  return true;
}
