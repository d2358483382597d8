// One Ed25519 signature, checked here and now: for the few that no thread is worth.
import { createPublicKey, verify } from "node:crypto";

/** False, and no error, where the key is no key. */
export function holdsEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const x = Buffer.from(publicKey).toString("base64url");
    return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
  } catch {
    return false;
  }
}
