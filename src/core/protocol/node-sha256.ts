// SHA-256, the one hash of the protocol; the only file to replace if node:crypto is missing.
import { createHmac, hash } from "node:crypto";

/** The SHA-256 of a text or of bytes, as bytes. By way of a string, because a hash as a buffer of its own takes twice as long. */
export const sha256 = (text: string | Uint8Array): Uint8Array => Buffer.from(hash("sha256", text, "latin1"), "latin1");
export const sha256Hex = (text: string | Uint8Array): string => hash("sha256", text, "hex");
/** A keyed hash in base64url, for tokens that the board issues and wants back unchanged. */
export const sealOf = (secret: Uint8Array, text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
/** A keyed hash in hex, for values that must be unlinkable without the key. */
export const sealHex = (secret: Uint8Array, text: string): string => createHmac("sha256", secret).update(text).digest("hex");
