// One signature check: libsodium where its binary fits the machine, else OpenSSL.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createRequire } from "node:module";

export interface SignatureJob {
  readonly key: Uint8Array;
  readonly sig: Uint8Array;
  readonly text: string;
}
type Check = (key: Uint8Array, sig: Uint8Array, message: Buffer) => boolean;

interface Sodium {
  crypto_sign_verify_detached(sig: Uint8Array, message: Uint8Array, key: Uint8Array): boolean;
}

export function withSodium(): Check | undefined {
  try {
    const sodium = createRequire(import.meta.url)("sodium-native") as Sodium;
    return (key, sig, message) => sodium.crypto_sign_verify_detached(sig, message, key);
  } catch {
    return undefined;
  }
}

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const KEYS_KEPT = 1000;

export function withOpenssl(): Check {
  const keys = new Map<string, KeyObject>();
  return (key, sig, message) => {
    const name = Buffer.from(key).toString("hex");
    let object = keys.get(name);
    if (object === undefined) {
      // Importing a key costs as much as a check, and agents post more than once.
      if (keys.size >= KEYS_KEPT) keys.delete(keys.keys().next().value!);
      object = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, key]), format: "der", type: "spki" });
      keys.set(name, object);
    }
    return verify(null, message, object, sig);
  };
}

/** A key that is not on the curve makes either library throw or say no; both mean no. */
export function checker(check: Check = withSodium() ?? withOpenssl()): (job: SignatureJob) => boolean {
  return ({ key, sig, text }) => {
    try {
      return check(key, sig, Buffer.from(text));
    } catch {
      return false;
    }
  };
}
