// Conversion between bytes and the two encodings of the protocol, with functions that browsers and Node share.

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** `text` must be canonical, with or without padding; the patterns of core/protocol/encoding.ts check that. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
