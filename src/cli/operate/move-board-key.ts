// Moves the board's key with its database. It is checked before anything is written, and never replaces another key.
import { readSecretFile, writeSecretFile } from "../../adapters/system/secret-file.ts";
import { LOG_KEY_FILE, setLogKeyAside } from "../../adapters/system/log-key.ts";
import { readBoardKey } from "../../adapters/system/board-key.ts";
import { signingKey } from "../../adapters/system/ed25519-signing-keys.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";

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

export interface KeyMove {
  /** The source of the key, such as a backup, which may have none. */
  readonly from: string;
  readonly to: string;
  /** The id of the board that the database belongs to, if it is known. */
  readonly pk: string | undefined;
}

/** Returns what to do with the key, and a function that does it. Throws if the keys do not belong to the database. */
export function keyMove({ from, to, pk }: KeyMove): { readonly move: () => MovedKey; readonly pk: string | undefined } {
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

export type MovedLogKey = "none" | "written" | "there" | "missing";

/**
 * Moves the log's key too, if the database has a tree. If another key is there, it stays under another name, because it may be newer.
 * If the key is missing, the board derives it from its own key again, unless the log's key was made in another way.
 */
export function moveLogKey({ from, to, pk }: KeyMove): MovedLogKey {
  if (pk === undefined) return "none";
  const there = readBoardKey(to)?.pk;
  if (there === pk) return "there";
  const secret = readSecretFile(from, "put away");
  if (secret === undefined) return "missing";
  const carried = signingKey(fromBase64url(secret)).pk;
  if (carried !== pk)
    throw new Error(
      `${from} holds the key whose public half is ${carried}, but the tree of the database beside it is signed with ${pk}. Take that file away, and put the right ${LOG_KEY_FILE} in its place.`,
    );
  if (there !== undefined) setLogKeyAside(to);
  writeSecretFile(to, secret);
  return "written";
}
