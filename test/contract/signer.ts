// An agent made from the contract alone: Node signs, and ids and work are computed as the contract says.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { keyBytes } from "../support/random.ts";

const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");
/** More than the test board requires, so that its difficulty may rise. */
export const BITS = 6;
export const ALIAS_BITS = BITS + 3;

export interface Envelope {
  readonly payload: string;
  readonly sig: string;
  readonly nonce: string;
  readonly blobs?: Readonly<Record<string, string>>;
}

export const sha256 = (text: string | Uint8Array): string => hash("sha256", text);
export const agentIdOf = (pk: string): string => `ag_${sha256(Buffer.from(pk, "base64url")).slice(0, 20)}`;

/** Leading zero bits of SHA-256 over `<id>:<nonce>`. */
export const bitsOf = (id: string, nonce: string): number => Math.clz32(hash("sha256", `${id}:${nonce}`, "buffer").readUInt32BE());

/** Exactly this many bits: a test that counts them never has more by luck. */
export function mine(id: string, bits: number): string {
  for (let n = 0; ; n++) if (bitsOf(id, String(n)) === bits) return String(n);
}

export const signedBy = (pk: string, text: string, sig: string): boolean =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: Buffer.concat([SPKI_HEAD, Buffer.from(pk, "base64url")]), format: "der", type: "spki" }),
    Buffer.from(sig, "base64url"),
  );

export class Signer {
  readonly #key: KeyObject;
  readonly #now: () => number;
  readonly pk: string;
  readonly id: string;

  constructor(now: () => number) {
    this.#now = now;
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, keyBytes()]), format: "der", type: "pkcs8" });
    this.pk = createPublicKey(this.#key).export({ format: "der", type: "spki" }).subarray(-32).toString("base64url");
    this.id = agentIdOf(this.pk);
  }

  /** Unix seconds. */
  now(): number {
    return Math.floor(this.#now() / 1000);
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString("base64url");
  }

  /** The payload text of these fields; undefined fields are left out. */
  text(fields: object): string {
    return JSON.stringify({ v: 1, pk: this.pk, ts: this.now(), ...fields });
  }

  /** Any text, signed and mined. */
  seal(payload: string, blobs?: Readonly<Record<string, string>>, bits = BITS): Envelope {
    return { payload, sig: this.sign(payload), nonce: mine(sha256(payload), bits), ...(blobs === undefined ? {} : { blobs }) };
  }
}
