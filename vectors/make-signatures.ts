// signatures.json and work.json: what the strict signature rule takes and refuses, and how work is counted.
import { fromBase64url, toBase64url } from "../src/core/protocol/encoding.ts";
import { messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../src/core/protocol/node-sha256.ts";
import { workBits } from "../src/core/protocol/proof-of-work.ts";
import { add, BASE, challenge, encodePoint, encodeScalar, L, littleEndian, times, TORSION } from "../test/support/ed25519.ts";
import { ALICE, BOB, countedNonce } from "./keys.ts";

const TEXT = "Grüße, board";
const bytes = (text: string): Buffer => Buffer.from(text, "utf8");
const encode = (...parts: readonly Uint8Array[]): string => toBase64url(Buffer.concat(parts));

interface SignatureCase {
  readonly name: string;
  readonly pk: string;
  readonly text: string;
  readonly sig: string;
  readonly code: "bad_key" | "bad_signature" | null;
}

/** The first r from `start` whose challenge, and so the low-order part it is multiplied with, vanishes modulo 8 or does not. */
function nonceScalarFor(pk: Uint8Array, start: bigint, vanishes: boolean): bigint {
  for (let n = start; ; n++) if ((challenge(encodePoint(times(n, BASE)), pk, bytes(TEXT)) % 8n === 0n) === vanishes) return n;
}

/** Signs with a scalar of our choice, which no library would do, under any key and with any R. */
function forged(scalar: bigint, pk: Uint8Array, r: Uint8Array, nonceScalar: bigint): string {
  const s = (nonceScalar + challenge(r, pk, bytes(TEXT)) * scalar) % L;
  return encode(r, encodeScalar(s));
}

function signatureCases(): SignatureCase[] {
  const sig = ALICE.sign(TEXT);
  const raw = Buffer.from(fromBase64url(sig));
  const [r, s] = [raw.subarray(0, 32), littleEndian(raw.subarray(32))];
  const flipped = Buffer.from(raw);
  flipped[40] = (flipped[40] ?? 0) ^ 1;
  const [scalar, nonceScalar] = [123_456_789n, 987_654_321n];
  const honest = encodePoint(times(scalar, BASE));
  const mixedKey = encodePoint(add(times(scalar, BASE), TORSION));
  const plainR = encodePoint(times(nonceScalar, BASE));
  const mixedR = encodePoint(add(times(nonceScalar, BASE), TORSION));
  const lowOrder = encodePoint(TORSION);
  // y = p + 1 is y = 1 again, the neutral point, in 255 bits.
  const notCanonical = encodeScalar(2n ** 255n - 18n);
  const offCurve = encodeScalar(2n);
  const one = (name: string, code: SignatureCase["code"], given: Partial<SignatureCase>): SignatureCase => ({
    name,
    pk: ALICE.pk,
    text: TEXT,
    sig,
    code,
    ...given,
  });
  return [
    one("a good signature", null, {}),
    one("a good signature of an empty text", null, { text: "", sig: ALICE.sign("") }),
    one("another text", "bad_signature", { text: `${TEXT} ` }),
    one("another key", "bad_signature", { pk: BOB.pk }),
    one("one bit of S changed", "bad_signature", { sig: toBase64url(flipped) }),
    one("S + L: the same signature modulo the group order", "bad_signature", { sig: encode(r, encodeScalar(s + L)) }),
    one("S = 0 and R neutral", "bad_signature", { sig: encode(encodeScalar(1n), encodeScalar(0n)) }),
    one("R of low order", "bad_signature", { sig: encode(lowOrder, encodeScalar(s)) }),
    one("R not canonical", "bad_signature", { sig: encode(notCanonical, encodeScalar(s)) }),
    one("R not on the curve", "bad_signature", { sig: encode(offCurve, encodeScalar(s)) }),
    one("a key of order 8", "bad_key", { pk: toBase64url(lowOrder) }),
    one("the neutral point as a key", "bad_key", { pk: toBase64url(encodeScalar(1n)) }),
    one("a key that is not canonical", "bad_key", { pk: toBase64url(notCanonical) }),
    one("a scalar that no seed gives, and a good signature with it", null, {
      pk: toBase64url(honest),
      sig: forged(scalar, honest, plainR, nonceScalar),
    }),
    one("R with a part of low order: the cofactor does not excuse it", "bad_signature", {
      pk: toBase64url(honest),
      sig: forged(scalar, honest, mixedR, nonceScalar),
    }),
    ...[true, false].map((vanishes) => {
      const n = nonceScalarFor(mixedKey, nonceScalar, vanishes);
      const when = vanishes ? "vanishes from the sum" : "does not: the cofactor does not excuse it";
      return one(`a key with a part of low order that ${when}`, vanishes ? null : "bad_signature", {
        pk: toBase64url(mixedKey),
        sig: forged(scalar, mixedKey, encodePoint(times(n, BASE)), n),
      });
    }),
  ];
}

export const signaturesFile = () => ({
  about: "Ed25519 by the strict rule: `sig` over the UTF-8 bytes of `text` under `pk`. `code` is null where it holds, else the refusal.",
  signatures: signatureCases(),
});

function workCases() {
  const id = messageId("work");
  const nonces = ["0", "1", "!", "~".repeat(64), "a:b", ...[1, 4, 8, 9, 12, 16].map((bits) => countedNonce(id, bits))];
  return [...new Set(nonces)].map((nonce) => ({ id, nonce, hash: sha256Hex(`${id}:${nonce}`), bits: workBits(id, nonce) }));
}

export const workFile = () => ({
  about: "hash = hex(SHA-256(id + ':' + nonce)); bits = its leading zero bits.",
  work: workCases(),
});
