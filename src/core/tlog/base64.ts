// Standard base64 (RFC 4648, section 4) with its padding, in the one spelling that each sequence of bytes has.
import { malformed } from "./tlog-error.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SHAPE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const CHUNK = 8192;

export function toBase64(bytes: Uint8Array): string {
  // Newer platforms have it, many times as fast.
  const { toBase64: native } = bytes as { toBase64?: () => string };
  if (native !== undefined) return native.call(bytes);
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** `what` names the text in a refusal. */
export function fromBase64(text: string, what: string): Uint8Array<ArrayBuffer> {
  if (!SHAPE.test(text)) throw malformed(`${what} is not base64 with its padding (RFC 4648, section 4).`);
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const last = ALPHABET.indexOf(text.charAt(text.length - 1 - padding));
  // The bits of the last character that no byte uses.
  if (padding > 0 && last % (padding === 2 ? 16 : 4) !== 0)
    throw malformed(`${what} is base64, but not the spelling that an encoder writes: unused bits of its end are set.`);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // A tile has 8,192 of them: `Uint8Array.from` would take ten times as long.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
