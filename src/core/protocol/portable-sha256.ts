// SHA-256 in plain JavaScript, block by block: for browsers, where WebCrypto is asynchronous, and for mining, where calls into OpenSSL cost more than the hash.

// The constants of FIPS 180-4 (4.2.2, 5.3.3), computed by their definition. In every page that hashes, this code is a third of the size of
// the numbers themselves.
function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}
/** The first 32 bits of the fraction; a double has more than enough. */
const fractions = (roots: readonly number[]): Int32Array => Int32Array.from(roots, (root) => (root % 1) * 2 ** 32);
const ROUND_CONSTANTS = /* @__PURE__ */ fractions(/* @__PURE__ */ firstPrimes(64).map(Math.cbrt));
const INITIAL = /* @__PURE__ */ fractions(/* @__PURE__ */ firstPrimes(8).map(Math.sqrt));
export const BLOCK_BYTES = 64;
const LENGTH_AT = 56;

/** Buffer for the words of a block and those derived from them. */
export const schedule = (): Int32Array => new Int32Array(64);
export const initialState = (): Int32Array => INITIAL.slice();

/** The state after one more block. The block is 16 words at the start of `w`, which stay there; see FIPS 180-4, section 6.2.2. */
export function compress(state: Int32Array, w: Int32Array, next: Int32Array = state): void {
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const first = (h + s1 + (g ^ (e & (f ^ g))) + ROUND_CONSTANTS[i]! + w[i]!) | 0;
    const second = (s0 + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  next[0] = state[0]! + a;
  next[1] = state[1]! + b;
  next[2] = state[2]! + c;
  next[3] = state[3]! + d;
  next[4] = state[4]! + e;
  next[5] = state[5]! + f;
  next[6] = state[6]! + g;
  next[7] = state[7]! + h;
}

/** The bytes from `at` on as the 16 big-endian words of a block. */
export function loadBlock(w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i;
    w[i] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
}

/** The hash of a text (as UTF-8) or of bytes. */
export function portableSha256(input: string | Uint8Array): Uint8Array {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  const state = initialState();
  const w = schedule();
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) {
    loadBlock(w, bytes, at);
    compress(state, w);
  }
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < LENGTH_AT ? BLOCK_BYTES : 2 * BLOCK_BYTES);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  new DataView(tail.buffer).setBigUint64(tail.length - 8, BigInt(bytes.length) * 8n);
  for (let at = 0; at < tail.length; at += BLOCK_BYTES) {
    loadBlock(w, tail, at);
    compress(state, w);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) hash.setInt32(4 * i, word);
  return new Uint8Array(hash.buffer);
}
