// The board's key in a file. The key is the board's identity.
import { randomBytes } from "node:crypto";
import { fromBase64url, toBase64url } from "../../core/protocol/encoding.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import type { SigningKey } from "../../ports/signing-key.ts";
import { readSecretFile, type SecretUse, writeSecretFile } from "./secret-file.ts";
import { signingKey } from "./ed25519-signing-keys.ts";

/** The key in a file, or undefined if there is none. */
export function readBoardKey(path: string, use?: SecretUse): SigningKey | undefined {
  const secret = readSecretFile(path, use);
  return secret === undefined ? undefined : signingKey(fromBase64url(secret));
}

/** A new key, for a new board; if another process was faster, the key that it made. */
export function makeBoardKey(path: string): SigningKey {
  const seed = randomBytes(32);
  if (writeSecretFile(path, toBase64url(seed))) return signingKey(seed);
  const made = readBoardKey(path);
  if (made === undefined) throw new Error(`The key file ${path} has just been deleted.`);
  return made;
}

/** The key in a file, which must be that of the board in `place`; `mend` says what to do if it is not. */
export function requireBoardKey(path: string, place: string, pk: string | undefined, mend: string): SigningKey {
  const found = readBoardKey(path);
  if (found !== undefined && (pk === undefined || pk === found.pk)) return found;
  const holds = found === undefined ? `there is no key at ${path}` : `${path} holds the key of ${agentId(found.pk)}`;
  const belongs = pk === undefined ? `The board in ${place} has a key already` : `The board in ${place} is ${boardName(pk)}`;
  throw new Error(`${belongs}, but ${holds}. ${mend}`);
}

/** The id of a board, by the public half of its key. */
export const boardName = (pk: string): string => `${agentId(pk)} (public key ${pk})`;
