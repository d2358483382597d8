// Ed25519 keys: the board's own in a file, which is its identity; and those of callers, for a moment.
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { fromBase64url, PUBLIC_KEY, toBase64url } from "../../core/protocol/encoding.ts";
import { agentId } from "../../core/protocol/identity.ts";
import type { CallerKey, SigningKey, SigningKeys } from "../../ports/signing-key.ts";
import { readSecretFile, writeSecretFile } from "./secret-file.ts";

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

/** The key in a file, or undefined if there is none. */
export function readBoardKey(path: string): SigningKey | undefined {
  const secret = readSecretFile(path);
  return secret === undefined ? undefined : signingKey(fromBase64url(secret));
}

/** A new key, for a new board; if another process was faster, the key that it made. */
export function makeBoardKey(path: string): SigningKey {
  const seed = randomBytes(32);
  if (writeSecretFile(path, toBase64url(seed))) return signingKey(seed);
  const made = readBoardKey(path);
  if (made === undefined) throw new Error(`The key file ${path} was there a moment ago, and is not any more.`);
  return made;
}

/** The key in a file, which must be that of the board in `place`; `mend` says what to do if it is not. */
export function requireBoardKey(path: string, place: string, pk: string | undefined, mend: string): SigningKey {
  const found = readBoardKey(path);
  if (found !== undefined && (pk === undefined || pk === found.pk)) return found;
  const holds = found === undefined ? `there is no key at ${path}` : `${path} holds the key of ${agentId(found.pk)}`;
  const belongs = pk === undefined ? `The board in ${place} has a key already` : `The board in ${place} is ${boardName(pk)}`;
  throw new Error(`${belongs}, but ${holds}. ${mend}`);
}

/** The id of a board, by the public half of its key. */
export const boardName = (pk: string): string => `${agentId(pk)} (public key ${pk})`;
