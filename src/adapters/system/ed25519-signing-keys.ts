// Ed25519 keys that sign: those of callers, which the board forgets at once, and the board's own.
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { fromBase64url, PUBLIC_KEY, toBase64url } from "../../core/protocol/encoding.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import type { CallerKey, SigningKey, SigningKeys } from "../../ports/signing-key.ts";

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

function keyFrom(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  // Small buffers come from a shared pool, which is reused without clearing.
  der.fill(0);
  return key;
}

function callerKey(seed: Uint8Array): CallerKey {
  const key = keyFrom(seed);
  const { x: pk } = createPublicKey(key).export({ format: "jwk" });
  if (pk === undefined) throw new Error("The key has no public half.");
  return { pk, sign: (text) => toBase64url(sign(null, Buffer.from(text), key)) };
}

/** A seed is 32 bytes, written like a public key: 43 characters of unpadded base64url. */
export function signingKey(seed: Uint8Array): SigningKey {
  return { ...callerKey(seed), secretFor: (purpose) => createHmac("sha256", seed).update(purpose).digest() };
}

export const signingKeys: SigningKeys = {
  fresh() {
    const seed = randomBytes(32);
    // Encodes the bytes without another copy of them, which nobody would clear.
    return { secret: seed.toString("base64url"), pk: this.from(seed).pk };
  },
  from(seed) {
    try {
      return callerKey(seed);
    } finally {
      seed.fill(0);
    }
  },
};

/** The agent of a secret key, or undefined if the text is no key. */
export const agentOfSecret = (secret: string): string | undefined =>
  PUBLIC_KEY.test(secret) ? agentId(signingKeys.from(fromBase64url(secret)).pk) : undefined;
