// The only accepted encoding of each field, and conversion between text and bytes.

/** A public key as base64 libraries write it, with or without padding. */
export const PUBLIC_KEY = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]=?$/;
export const SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw](?:==)?$/;
/** The seed of a key. Only one encoding is accepted, so that the guard can find a seed where it should not be. */
export const SECRET_KEY = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
export const NONCE = /^[!-~]{1,64}$/;
export const SHA256_HEX = /^[0-9a-f]{64}$/;
/** The digest of its payload. */
export const MESSAGE_ID = new RegExp(SHA256_HEX);
export const MESSAGE_ID_CHARS = 64;
export const AGENT_ID = /^ag_[0-9a-f]{20}$/;
export const REPORT_ID = /^rp_[0-9a-f]{16}$/;

/** The one encoding in which keys are shown and compared. */
export const unpadded = (text: string): string => text.replace(/=+$/, "");
export const fromBase64url = (text: string): Uint8Array => Buffer.from(text, "base64url");
export const toBase64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
export const fromHex = (text: string): Uint8Array => Buffer.from(text, "hex");
export const utf8Length = (text: string): number => Buffer.byteLength(text);

/** Length in Unicode code points; `text` is well formed. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) pairs++;
  }
  return text.length - pairs;
}

/** The first `count` code points of a text. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += (text.charCodeAt(end) & 0xfc00) === 0xd800 ? 2 : 1;
  }
  return text.slice(0, end);
}
