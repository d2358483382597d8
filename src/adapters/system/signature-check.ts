// One signature check: libsodium where its binary fits the machine, else OpenSSL.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createRequire } from "node:module";
import { BoundedCache } from "../../core/bounded-cache.ts";

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
  // Importing a key costs as much as a check, and agents post more than once.
  const keys = new BoundedCache<string, KeyObject>(KEYS_KEPT);
  return (key, sig, message) => {
    const object = keys.of(Buffer.from(key).toString("hex"), () =>
      createPublicKey({ key: Buffer.concat([SPKI_PREFIX, key]), format: "der", type: "spki" }),
    );
    return verify(null, message, object, sig);
  };
}

const KEY_BYTES = 32;
const SIG_BYTES = 64;

/** Many jobs as one piece of memory, which changes threads without being copied: key, signature and text of each, one after the other. */
export interface PackedJobs {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of each text. */
  readonly lengths: readonly number[];
}

export function pack(jobs: readonly SignatureJob[]): PackedJobs {
  const lengths = jobs.map(({ text }) => Buffer.byteLength(text));
  const size = lengths.reduce((sum, length) => sum + KEY_BYTES + SIG_BYTES + length, 0);
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { key, sig, text } of jobs) {
    bytes.set(key, at);
    bytes.set(sig, at + KEY_BYTES);
    at += KEY_BYTES + SIG_BYTES;
    at += bytes.write(text, at);
  }
  return { bytes, lengths };
}

export function packedChecker(check: Check = withSodium() ?? withOpenssl()): (jobs: PackedJobs) => boolean[] {
  return ({ bytes, lengths }) => {
    let at = 0;
    const next = (length: number): Buffer => {
      at += length;
      return Buffer.from(bytes.buffer, bytes.byteOffset + at - length, length);
    };
    return lengths.map((length) => {
      const [key, sig, message] = [next(KEY_BYTES), next(SIG_BYTES), next(length)];
      return valid(check, key, sig, message);
    });
  };
}

/** One job by itself. */
export function checker(check: Check = withSodium() ?? withOpenssl()): (job: SignatureJob) => boolean {
  return ({ key, sig, text }) => valid(check, key, sig, Buffer.from(text));
}

/** A key that is not on the curve makes either library throw or say no; both mean no. */
function valid(check: Check, key: Uint8Array, sig: Uint8Array, message: Buffer): boolean {
  try {
    return check(key, sig, message);
  } catch {
    return false;
  }
}
