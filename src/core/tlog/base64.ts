// Standard base64 with padding (RFC 4648, section 4). Only the canonical spelling of each sequence of bytes is accepted.
import { malformed } from "./tlog-error.ts";

const SHAPE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const CHUNK = 8192;

export function toBase64(bytes: Uint8Array): string {
  // Newer platforms have it built in, many times as fast.
  const { toBase64: native } = bytes as { toBase64?: () => string };
  if (native !== undefined) return native.call(bytes);
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** `what` names the text in the error. */
export function fromBase64(text: string, what: string): Uint8Array<ArrayBuffer> {
  if (!SHAPE.test(text)) throw malformed(`${what} is not base64 with its padding (RFC 4648, section 4).`);
  // With padding, some bits of the last character belong to no byte; they must be 0.
  const end = text.slice(-4);
  if (btoa(atob(end)) !== end)
    throw malformed(`${what} is base64, but not the spelling that an encoder writes: unused bits of its end are set.`);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // A tile has 8,192 bytes: `Uint8Array.from` would take ten times as long.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
