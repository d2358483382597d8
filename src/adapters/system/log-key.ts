// The key that signs the heads of the tree: a file beside the board's own key, used for nothing else.
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { toBase64url } from "../../core/protocol/encoding.ts";
import { sha256Hex } from "../../core/protocol/sha256.ts";
import type { SigningKey } from "../../ports/signing-key.ts";
import type { TlogName } from "../../ports/tlog-name.ts";
import { barredFromWriting } from "./access.ts";
import { readBoardKey, signingKey } from "./board-key.ts";
import { writeSecretFile } from "./secret-file.ts";

/** The name of the file, in a board's directory and in a backup. */
export const LOG_KEY_FILE = "log.key";

/**
 * Beside the board's key, so that nodes which share that file share this one too; in the data directory if nothing can be written there.
 */
export function logKeyFile(keyFile: string, data: string): string {
  const [beside, own] = [join(dirname(keyFile), LOG_KEY_FILE), join(data, LOG_KEY_FILE)];
  if (existsSync(beside)) return beside;
  return existsSync(own) || barredFromWriting(dirname(keyFile)) !== undefined ? own : beside;
}

/** Derived from the board's key, so that every node with that key can make this one; a different key for each name. */
const derivedSeed = (board: SigningKey, origin: string): Uint8Array => board.secretFor(`log key ${origin}`);

/** The key in the file; if there is none, one is made for this name. */
export function makeLogKey(file: string, board: SigningKey, origin: string): SigningKey {
  const seed = derivedSeed(board, origin);
  writeSecretFile(file, toBase64url(seed));
  return readBoardKey(file) ?? signingKey(seed);
}

/** The key of this name, which the database knows; `place` is where that is. A missing file is written again if possible. */
export function requireLogKey(
  file: string,
  place: string,
  { origin, pk }: Pick<TlogName, "origin" | "pk">,
  board: SigningKey,
  sealed: boolean,
): SigningKey {
  const found = readBoardKey(file);
  if (found?.pk === pk) return found;
  const derived = signingKey(derivedSeed(board, origin));
  if (found === undefined && derived.pk === pk) return sealed ? derived : makeLogKey(file, board, origin);
  const holds = found === undefined ? `there is no key at ${file}` : `${file} holds another key (public key ${found.pk})`;
  throw new Error(
    `The tree over the log of the board in ${place} is signed as ${origin} with the key whose public half is ${pk}, but ${holds}. ` +
      "Put its log.key there, from another node or from a backup that holds the keys. If it is lost, stop the board and let it begin a new " +
      "name with a new key: blackboard operate accept-history",
  );
}

/** A retired key keeps its bytes under another name. Returns where it is now; undefined if there was none. */
export function setLogKeyAside(file: string): string | undefined {
  const found = readBoardKey(file);
  if (found === undefined) return undefined;
  const aside = join(dirname(file), `log-${sha256Hex(found.pk).slice(0, 12)}.key`);
  renameSync(file, aside);
  return aside;
}
