// `blackboard operate backup`: everything that makes up a board, in a new directory.
import { chmodSync, existsSync, readdirSync, realpathSync, renameSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { databasePath } from "../../adapters/sqlite/open.ts";
import { soundHead } from "../../adapters/sqlite/snapshot.ts";
import { barred } from "../../adapters/system/file-access-errors.ts";
import { requireBoardKey } from "../../adapters/system/board-key.ts";
import { makeDirectory, parentFault } from "../../adapters/system/make-directory.ts";
import { HEAD_FILE, headFile } from "../../adapters/system/head-file.ts";
import type { Config } from "../../config.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { fileOfKey, signersAt } from "../../storage/key-ring.ts";
import { placeOf } from "../../storage/open.ts";
import { withOperator, configOf, type OperatorOptions, withClosedBoard } from "./operator-session.ts";
import { keyFilesIn, keysMove, ownKeys } from "./move-board-key.ts";
import { allOrNothing } from "./fill-directory-atomically.ts";

export function backupCommand(operate: Command): void {
  withOperator(operate.command("backup").argument("<dir>").description("copy the board as it is now, while it runs"))
    .option("--no-key", "leave the board's key out")
    .action(backup);
}

async function backup(dir: string, options: OperatorOptions & { key: boolean }): Promise<void> {
  const { print } = withClosedBoard(options);
  const { head, board } = await makeBackup(configOf(options), dir, options.key);
  const whose = board === undefined ? "" : ` of the board ${board}`;
  const key = options.key
    ? "It contains the board's key: keep it as safe as the board itself."
    : "It does not contain the board's key: keep the key in a safe place too, because without it the backup cannot be restored as the same board.";
  print(`Backed up to ${dir}: the log${whose} up to entry ${head.seq}. ${key}`, {
    backup: { dir, ...head, key: options.key, board: board ?? null },
  });
}

export interface Backup {
  /** The head of the log in the backup. */
  readonly head: Head;
  /** The board's id; undefined if it cannot be known. */
  readonly board: string | undefined;
}

export async function makeBackup(config: Config, dir: string, withKey: boolean, now = Date.now()): Promise<Backup> {
  requireFree(dir, config.data);
  // Copied before the database, so that the database is never behind this head.
  const place = placeOf(config);
  const board = await place.identity();
  const signers = signersAt(board, now);
  const signing = signers.board?.current;
  if (withKey)
    requireBoardKey(
      fileOfKey(config.keyFile, signing),
      place.words,
      signing,
      "Give its key with --key-file, or leave it out with --no-key.",
    );
  return allOrNothing(dir, async () => {
    makeDirectory(dir);
    const unfinished = join(dir, "board.db.next");
    await place.copyTo(unfinished, board.pk);
    chmodSync(unfinished, 0o600);
    if (board.signed !== undefined) await headFile(join(dir, HEAD_FILE)).write(board.signed);
    const keys = withKey ? keysMove(signers, ownKeys(config), keyFilesIn(dir)) : undefined;
    keys?.move();
    // Written last: a directory that contains a database is a complete backup.
    renameSync(unfinished, databasePath(dir));
    const pk = board.pk ?? keys?.pk;
    return { head: soundHead(databasePath(dir)), board: pk === undefined ? undefined : agentId(pk) };
  });
}

/** A new or empty directory that is not inside the board's own. */
function requireFree(dir: string, data: string): void {
  const unreadable = barred(dir, "read");
  if (unreadable !== undefined) throw new Error(unreadable);
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || readdirSync(dir).length > 0))
    throw new Error(`${dir} is not empty. Give a directory that does not exist yet.`);
  const lost = parentFault(dir);
  if (lost !== undefined) throw new Error(`The backup cannot be put in ${dir}: ${lost}`);
  if (existsSync(data) && isWithin(join(realpathSync(dirname(resolve(dir))), basename(resolve(dir))), realpathSync(data)))
    throw new Error(
      `${dir} is in the board's own directory, ${data}, and would be lost with it. Give a directory elsewhere, best on another disk.`,
    );
}

function isWithin(path: string, dir: string): boolean {
  const way = relative(dir, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
