// The board's key on its way with its database: looked at before anything is written, and never put in the place of another.
import { readSecretFile, writeSecretFile } from "../../adapters/system/secret-file.ts";
import { LOG_KEY_FILE, setLogKeyAside } from "../../adapters/system/log-key.ts";
import { readBoardKey, signingKey } from "../../adapters/system/board-key.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { agentId } from "../../core/protocol/identity.ts";

/** The name of the key's file in a board's directory, and in a backup. */
export const KEY_FILE = "board.key";

export interface MovedKey {
  /** Whose it is; undefined where nobody can tell. */
  readonly board: string | undefined;
  /** Where the board looks for it. */
  readonly file: string;
  /** Put there, there already, or still to be put there. */
  readonly state: "written" | "there" | "missing";
}

export interface KeyMove {
  /** Where it comes from, such as a backup, which may be without. */
  readonly from: string;
  readonly to: string;
  /** Of the board that the database belongs to, where that is known. */
  readonly pk: string | undefined;
}

/** What is to be done with the key, and the doing; throws where the keys do not belong to the database. */
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

/** Where the key is and what is left to do; `flag` where the board would look for it elsewhere. */
export function keyWords({ board, file, state }: MovedKey, flag: boolean): string {
  const key = board === undefined ? "the board's key" : `the key of the board (${board})`;
  const start = flag ? ` Start it with --key-file ${file}` : "";
  if (state === "missing") return `There is no key with it: put ${key} at ${file} before you start the board.${start}`;
  return `${key.replace(/^t/, "T")} is ${state === "written" ? "now" : "where it was,"} at ${file}.${start}`;
}

export type MovedLogKey = "none" | "written" | "there" | "missing";

/**
 * The log's key on the same way, where the database has a tree. Another one that is there stays, under another name: it may be newer.
 * Where it is missing, the board makes it again from its own key, unless it was given one of another making.
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
