// The key that signs the heads of the tree: a file beside the board's own key, used for nothing else.
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { toBase64url } from "../../core/protocol/encoding.ts";
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import type { SigningKey } from "../../ports/signing-key.ts";
import type { TlogName } from "../../ports/tlog-identity.ts";
import { barredFromWriting } from "./file-access-errors.ts";
import { readBoardKey } from "./board-key.ts";
import { signingKey } from "./ed25519-signing-keys.ts";
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

/** The board's announced key, beside the one that it has. */
export const announcedKeyFile = (keyFile: string): string => join(dirname(keyFile), "board-next.key");

/** The board's former key, beside the one that it has. */
export const formerKeyFile = (keyFile: string, agent: string): string => join(dirname(keyFile), `board-${agent}.key`);
export const FORMER_KEY_FILE = /^board-ag_[0-9a-f]+\.key$/;

/** Derived from the board's key, so that every node with that key can make this one; a different key for each name. */
const derivedSeed = (board: SigningKey, origin: string): Uint8Array => board.secretFor(`log key ${origin}`);

/** A later key of the same name, which counts from this Unix second on. */
export const laterLogKey = (board: SigningKey, origin: string, epoch: number): SigningKey =>
  signingKey(derivedSeed(board, `${origin} ${epoch}`));

const seedsOf = (board: SigningKey, { origin, epoch }: Pick<TlogName, "origin" | "epoch">): readonly Uint8Array[] => [
  derivedSeed(board, origin),
  derivedSeed(board, `${origin} ${epoch}`),
];

/** The key of a name, from its file or made again from the board's key that vouched for it. */
export function logKeyFor(file: string, name: Pick<TlogName, "origin" | "epoch" | "pk">, board: SigningKey): SigningKey | undefined {
  const found = readBoardKey(file);
  if (found?.pk === name.pk) return found;
  return seedsOf(board, name)
    .map(signingKey)
    .find(({ pk }) => pk === name.pk);
}

/** The key in the file; if there is none, one is made for this name. */
export function makeLogKey(file: string, board: SigningKey, origin: string): SigningKey {
  const seed = derivedSeed(board, origin);
  writeSecretFile(file, toBase64url(seed));
  return readBoardKey(file) ?? signingKey(seed);
}

/** The key of this name, which the database knows; `place` says where the database is. A missing file is written again if possible. */
export function requireLogKey(
  file: string,
  place: string,
  name: Pick<TlogName, "origin" | "epoch" | "pk">,
  board: SigningKey,
  sealed: boolean,
): SigningKey {
  const { origin, pk } = name;
  const found = readBoardKey(file);
  if (found?.pk === pk) return found;
  const seed = seedsOf(board, name).find((one) => signingKey(one).pk === pk);
  const isLater = seed !== undefined && signingKey(derivedSeed(board, origin)).pk !== pk;
  if (seed !== undefined && (found === undefined || isLater)) {
    // The file still has the key that this one follows.
    if (!sealed && isLater) setLogKeyAside(file);
    if (!sealed) writeSecretFile(file, toBase64url(seed));
    return signingKey(seed);
  }
  const holds = found === undefined ? `there is no key at ${file}` : `${file} holds another key (public key ${found.pk})`;
  throw new Error(
    `The tree over the log of the board in ${place} is signed as ${origin} with the key whose public half is ${pk}, but ${holds}. ` +
      "Put its log.key there, from another node or from a backup that holds the keys. If it is lost, stop the board and let it continue under a new " +
      "log name with a new key: blackboard operate accept-history",
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
