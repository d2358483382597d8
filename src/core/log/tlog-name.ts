// The name of the tree over the log, and what the board's key says of the key that signs its heads.
import { ED25519, formatVerifierKey, type VerifierKey, verifierKey } from "../tlog/key.ts";
import { sha256 } from "../protocol/sha256.ts";
import { fromBase64url } from "../protocol/encoding.ts";

/** The board's address without its scheme. A plus, which no name of a key may hold, is written as addresses may write it. */
export function originOf(baseUrl: string, epoch: number): string {
  const place = `${baseUrl.replace(/^[a-z]+:\/\//i, "").replace(/\/+$/, "")}/tlog`.replaceAll("+", "%2B");
  return epoch === 0 ? place : `${place}/${epoch}`;
}

/** `pk` in base64url. */
export const tlogKey = (origin: string, pk: string): VerifierKey => verifierKey(origin, ED25519, fromBase64url(pk), sha256);

/** The exact text that the board's key signs; `unix` in seconds. */
export const tlogStatement = (origin: string, pk: string, unix: number): string =>
  JSON.stringify({ v: 1, origin, vkey: formatVerifierKey(tlogKey(origin, pk)), ts: unix });
