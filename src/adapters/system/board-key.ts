// Ed25519 keys: the board's own in a file, made on first start and readable by the owner only; and those of callers, for a moment.
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fromBase64url, PUBLIC_KEY, toBase64url } from "../../core/protocol/encoding.ts";
import { agentId } from "../../core/protocol/identity.ts";
import type { CallerKey, SigningKey, SigningKeys } from "../../ports/signing-key.ts";
import { makeDirectory } from "./directory.ts";

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

function keyFrom(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  // Small buffers share memory that is handed out again as it is.
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
    // As text without a copy of the bytes, which nobody would clear.
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

/** The agent that a secret key makes, or undefined where the text is no key. */
export const agentOf = (secret: string): string | undefined =>
  PUBLIC_KEY.test(secret) ? agentId(signingKeys.from(fromBase64url(secret)).pk) : undefined;

export function loadBoardKey(path: string): SigningKey {
  makeDirectory(dirname(path));
  try {
    const seed = randomBytes(32);
    writeFileSync(path, `${toBase64url(seed)}\n`, { mode: 0o600, flag: "wx", flush: true });
    return signingKey(seed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const text = readFileSync(path, "utf8").trim();
  if (!PUBLIC_KEY.test(text)) throw new Error(`The key file ${path} does not hold 43 characters of base64url.`);
  return signingKey(fromBase64url(text));
}
