// Moves the board's keys with its database. They are checked before anything is written, and never replace other keys.
import { join } from "node:path";
import { readSecretFile, writeSecretFile } from "../../adapters/system/secret-file.ts";
import { announcedKeyFile, LOG_KEY_FILE, logKeyFile, setLogKeyAside } from "../../adapters/system/log-key.ts";
import { readBoardKey } from "../../adapters/system/board-key.ts";
import { signingKey } from "../../adapters/system/ed25519-signing-keys.ts";
import type { Config } from "../../config.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import type { LineNow } from "../../core/protocol/board-key-change.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { fileOfKey, type Signers } from "../../storage/key-ring.ts";

/** The name of the key's file in a board's directory, and in a backup. */
export const KEY_FILE = "board.key";

export interface MovedKey {
  /** The board's id; undefined if it cannot be known. */
  readonly board: string | undefined;
  /** The path at which the board looks for the key. */
  readonly file: string;
  /** The key was put there, was there already, or has yet to be put there. */
  readonly state: "written" | "there" | "missing";
}

/** The files of the board's key and of its log's key. An announced key is beside the board's. */
export interface KeyFiles {
  readonly board: string;
  readonly log: string;
}

export const keyFilesIn = (dir: string): KeyFiles => ({ board: join(dir, KEY_FILE), log: join(dir, LOG_KEY_FILE) });
export const ownKeys = ({ keyFile, data }: Pick<Config, "keyFile" | "data">): KeyFiles => ({
  board: keyFile,
  log: logKeyFile(keyFile, data),
});

/** What to do with all keys, and a function that does it and says which files it wrote. */
export interface KeysMove {
  /** The public half of the board's key, if it is known. */
  readonly pk: string | undefined;
  readonly move: () => { readonly key: MovedKey; readonly written: readonly string[] };
}

/** Throws if the keys do not belong to the database. The source, such as a backup, may have none. */
export function keysMove({ board, log }: Signers, from: KeyFiles, to: KeyFiles): KeysMove {
  const pk = board?.current;
  const own = keyMove(fileOfKey(from.board, pk, "put away"), fileOfKey(to.board, pk), pk);
  const next = board?.next && keyMove(announcedKeyFile(from.board), announcedKeyFile(to.board), board.next.new);
  return {
    pk: own.pk,
    move() {
      const moved = [...(next === undefined ? [] : [next.move()]), own.move()];
      const written = moved.flatMap(({ state, file }) => (state === "written" ? [file] : []));
      return { key: { ...moved.at(-1)!, file: to.board }, written: moveLogKey(from.log, to.log, log) ? [...written, to.log] : written };
    },
  };
}

function keyMove(from: string, to: string, pk: string | undefined): { readonly move: () => MovedKey; readonly pk: string | undefined } {
  const secret = readSecretFile(from, "put away");
  const carried = secret === undefined ? undefined : signingKey(fromBase64url(secret)).pk;
  if (carried !== undefined && pk !== undefined && carried !== pk)
    throw new Error(
      `${from} holds the key of ${agentId(carried)}, but the database beside it belongs to ${agentId(pk)}. Take that file away, and give the right key with --key-file.`,
    );
  const owner = pk ?? carried;
  const there = readBoardKey(to)?.pk;
  if (there !== undefined && owner !== undefined && there !== owner)
    throw new Error(
      `The database belongs to ${agentId(owner)}, but ${to} holds another key, that of ${agentId(there)}. Choose another --data directory or --key-file, or move that key away.`,
    );
  const known = owner ?? there;
  const board = known === undefined ? undefined : agentId(known);
  return {
    pk: known,
    move() {
      if (there !== undefined) return { board, file: to, state: "there" };
      if (secret === undefined) return { board, file: to, state: "missing" };
      writeSecretFile(to, secret);
      return { board, file: to, state: "written" };
    },
  };
}

/** Says where the key is and what is left to do; `flag` is set if the board would look for it elsewhere. */
export function keyWords({ board, file, state }: MovedKey, flag: boolean): string {
  const key = board === undefined ? "the board's key" : `the key of the board (${board})`;
  const start = flag ? ` Start it with --key-file ${file}` : "";
  if (state === "missing") return `It came without a key: put ${key} at ${file} before you start the board.${start}`;
  return `${key.replace(/^t/, "T")} is ${state === "written" ? "now" : "where it was,"} at ${file}.${start}`;
}

/**
 * Moves the log's key too, if the database has a tree, and returns whether it was written. If another key is there, it stays under another
 * name, because it may be newer. If the key is missing, the board derives it from its own key again, unless the log's key was made in
 * another way.
 */
function moveLogKey(from: string, to: string, line: LineNow | undefined): boolean {
  if (line === undefined) return false;
  const there = readBoardKey(to)?.pk;
  const secret = there === line.current ? undefined : readSecretFile(from, "put away");
  if (secret === undefined) return false;
  const carried = signingKey(fromBase64url(secret)).pk;
  if (carried !== line.current) {
    // The file still has an earlier key. A later one is always derived from the board's key.
    if (line.since !== undefined) return false;
    throw new Error(
      `${from} holds the key whose public half is ${carried}, but the tree of the database beside it is signed with ${line.current}. Take that file away, and put the right ${LOG_KEY_FILE} in its place.`,
    );
  }
  if (there !== undefined) setLogKeyAside(to);
  writeSecretFile(to, secret);
  return true;
}
