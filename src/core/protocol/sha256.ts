// SHA-256, the one hash of the protocol; the only file to swap where node:crypto is missing.
import { hash } from "node:crypto";

export const sha256Hex = (text: string | Uint8Array): string => hash("sha256", text, "hex");
export const sha256 = (text: string | Uint8Array): Uint8Array => hash("sha256", text, "buffer");
