// The name of the tree over the log, and the statement by which the board's key vouches for the key that signs the tree's heads.
import { ED25519, formatVerifierKey, type VerifierKey, verifierKey } from "../tlog/key.ts";
import { sha256 } from "../protocol/node-sha256.ts";
import { fromBase64url } from "../protocol/encoding.ts";

/** The board's address without its scheme. A plus, which a key name may not contain, is percent-encoded. */
export const originOf = (baseUrl: string): string =>
  `${baseUrl.replace(/^[a-z]+:\/\//i, "").replace(/\/+$/, "")}/tlog`.replaceAll("+", "%2B");

/** The next name of the same board; a name is never used again. */
export const originAfter = (before: string, epoch: number): string => `${before.replace(/(?<=\/tlog)\/[0-9]+$/, "")}/${epoch}`;

/** `pk` in base64url. */
export const tlogKey = (origin: string, pk: string): VerifierKey => verifierKey(origin, ED25519, fromBase64url(pk), sha256);

/** The exact text that the board's key signs; `unix` in seconds. */
export const tlogStatement = (origin: string, pk: string, unix: number): string =>
  JSON.stringify({ v: 1, origin, vkey: formatVerifierKey(tlogKey(origin, pk)), ts: unix });
