// Checks one Ed25519 signature synchronously: for the few that are not worth a thread.
import { createPublicKey, verify } from "node:crypto";

/** False, and no error, if the key is not valid. */
export function holdsEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const x = Buffer.from(publicKey).toString("base64url");
    return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
  } catch {
    return false;
  }
}
