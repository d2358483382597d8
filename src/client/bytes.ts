// Between bytes and the two spellings that the protocol has for them, with what browsers and Node share.

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** `text` is canonical, with its padding or without; the patterns of core/protocol/encoding.ts tell. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
