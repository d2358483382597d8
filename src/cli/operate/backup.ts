// `blackboard operate backup` and `restore-backup`: everything a board is, in a directory of its own, and back.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { databasePath, lockDataDir } from "../../adapters/sqlite/open.ts";
import { soundHead, sync } from "../../adapters/sqlite/snapshot.ts";
import { makeDirectory } from "../../adapters/system/directory.ts";
import { headFile } from "../../adapters/system/head-file.ts";
import type { Config } from "../../config.ts";
import type { Head } from "../../core/log/checkpoint.ts";
import { copyBoard } from "../copy.ts";
import { copyTo, lastSigned } from "./board-copy.ts";
import { atDesk, configOf, type DeskOptions, offDesk } from "./desk.ts";
import { giveToOwnerOf } from "./owner.ts";
import { view as switchesView } from "./switches.ts";
import { type Undone, undoneAt, undoneIn } from "./undone.ts";
import { givenOutLines, undoneLines } from "./undone-words.ts";

const KEY = "board.key";
const HEAD = "head.json";
/** What a restore writes into the board's directory, besides the key. */
const FILES = ["board.db", HEAD, "board.lock"];

export function backupCommands(operate: Command): void {
  atDesk(operate.command("backup").argument("<dir>").description("copy the board as it is now, while it runs"))
    .option("--no-key", "leave the board's key out")
    .action(backup);
  atDesk(operate.command("restore-backup").argument("<dir>").description("put a backup in place; the board must be stopped"))
    .option("--replaced-url <url>", "the PostgreSQL database that the board was in, to list what the backup undoes")
    .action(restore);
}

async function backup(dir: string, options: DeskOptions & { key: boolean }): Promise<void> {
  const { tell } = offDesk(options);
  const head = await makeBackup(configOf(options), dir, options.key);
  const key = options.key ? " It holds the board's key: keep it as safe as the board itself." : "";
  tell(`Backed up to ${dir}: the log up to entry ${head.seq}.${key}`, { backup: { dir, ...head, key: options.key } });
}

/** Where the log stands in the backup. */
export async function makeBackup(config: Config, dir: string, withKey: boolean): Promise<Head> {
  if (existsSync(dir) && readdirSync(dir).length > 0) throw new Error(`${dir} is not empty. Give a directory that does not exist yet.`);
  // Before the database, so that the copy is never behind the head that comes with it.
  const signed = await lastSigned(config);
  makeDirectory(dir);
  const unfinished = join(dir, "board.db.next");
  await copyTo(config, unfinished);
  chmodSync(unfinished, 0o600);
  if (signed !== undefined) await headFile(join(dir, HEAD)).write(signed);
  if (withKey) writeFileSync(join(dir, KEY), readFileSync(config.keyFile), { mode: 0o600, flush: true });
  // Last: a directory with a database in it is a whole backup.
  renameSync(unfinished, databasePath(dir));
  return soundHead(databasePath(dir));
}

async function restore(dir: string, options: DeskOptions & { replacedUrl?: string }): Promise<void> {
  const { tell, confirm } = offDesk(options);
  const config = configOf(options);
  const { seq } = soundHead(requireBackup(dir));
  if (config.databaseUrl !== undefined) {
    await confirm(`Put the backup in ${dir}, up to entry ${seq}, into the empty database?`);
    // Before anything is written: where that database cannot be read, nothing has happened yet.
    const undone = options.replacedUrl === undefined ? undefined : await undoneIn(options.replacedUrl, databasePath(dir));
    const restored = await restoreToDatabase(config, config.databaseUrl, dir);
    const lines = [
      `Restored the database to entry ${restored.seq}, and verified it.`,
      ...givenOutLines(undone?.givenOut, seq, true),
      ...(undone === undefined ? [] : undoneLines(undone, [])),
    ];
    return tell(lines.join("\n"), { restored, ...undoneView(undone) });
  }
  await confirm(`Put the backup in ${dir}, up to entry ${seq}, in the place of the board in ${config.data}?`);
  const { head, signed, replaced, undone } = await restoreBackup(config, dir);
  const behind = signed !== undefined && signed.seq > head.seq;
  const lines = [
    `Restored ${config.data} to entry ${head.seq}.`,
    ...(replaced === undefined ? [] : [`What was there is in ${replaced}: erase it when it is not needed any more.`]),
    ...(behind
      ? [
          `The last head that the board signed is entry ${signed.seq}: it will start read-only, for it must not tell a second history.`,
          `Find a newer backup. To go on from this one all the same, move ${HEAD} and the board's key away: it is a new board then, and its readers must know.`,
        ]
      : []),
    ...givenOutLines(undone?.givenOut, head.seq, !behind),
    ...(replaced !== undefined && undone === undefined
      ? ["What was there cannot be read: nobody can tell which decisions the backup does not know."]
      : []),
    ...(undone === undefined ? [] : undoneLines(undone, ["--data", config.data])),
  ];
  const known = { restored: head, signed_seq: signed?.seq ?? null, read_only: behind, replaced: replaced ?? null };
  tell(lines.join("\n"), { ...known, ...undoneView(undone) });
}

const undoneView = (undone: Undone | undefined): object => ({
  lost: undone?.lost ?? [],
  taken_back: undone?.reversed ?? [],
  switches: switchesView(undone?.switches ?? {}),
  reports_reopened: undone?.reopened ?? [],
  reports_lost: undone?.lostReports ?? 0,
  given_out_seq: undone?.givenOut ?? null,
});

/** A backup is a SQLite board like any other. A node that knows of a newer signed head starts read-only on it. */
export function restoreToDatabase({ keyFile }: Config, to: string, dir: string, now?: number): Promise<Head> {
  return copyBoard({ from: dir, to, ...(existsSync(join(dir, KEY)) ? {} : { keyFile }) }, now);
}

export interface Restored {
  readonly head: Head;
  /** The newest head known to have been signed. */
  readonly signed: Head | undefined;
  /** Where the database that was there before is now. */
  readonly replaced: string | undefined;
  /** What the database that was there before knew; undefined where there was none, or none that can be read. */
  readonly undone: Undone | undefined;
}

export async function restoreBackup({ data, keyFile }: Config, dir: string): Promise<Restored> {
  const from = requireBackup(dir);
  const head = soundHead(from);
  const lock = lockDataDir(data);
  try {
    const keyMissing = !existsSync(keyFile);
    if (existsSync(join(dir, KEY))) restoreKey(join(dir, KEY), keyFile);
    const undone = existsSync(databasePath(data)) ? await undoneAt(databasePath(data), from) : undefined;
    const replaced = setAside(data);
    const next = `${databasePath(data)}.next`;
    copyFileSync(from, next);
    chmodSync(next, 0o600);
    sync(next);
    // A crash before this line leaves no database, and the old one beside it; after it, the backup is in place.
    renameSync(next, databasePath(data));
    const signed = await newestHead(data, dir);
    const written = [
      ...FILES.map((name) => join(data, name)),
      ...(keyMissing ? [keyFile] : []),
      ...(replaced === undefined ? [] : [replaced]),
    ];
    giveToOwnerOf(data, written);
    return { head, signed, replaced, undone };
  } finally {
    lock.close();
  }
}

/** The last signed head is never replaced by an older one. */
async function newestHead(data: string, dir: string): Promise<Head | undefined> {
  const [here, there] = [await headFile(join(data, HEAD)).read(), await headFile(join(dir, HEAD)).read()];
  if (there === undefined || (here !== undefined && here.seq >= there.seq)) return here;
  await headFile(join(data, HEAD)).write(there);
  return there;
}

function restoreKey(from: string, to: string): void {
  const key = readFileSync(from, "utf8");
  if (existsSync(to) && readFileSync(to, "utf8").trim() !== key.trim())
    throw new Error(`The backup belongs to a board with another key than ${to}. Choose another --data directory, or move that key away.`);
  if (!existsSync(to)) writeFileSync(to, key, { mode: 0o600, flush: true });
}

function setAside(data: string): string | undefined {
  const files = ["board.db", "board.db-wal", "board.db-shm"].filter((name) => existsSync(join(data, name)));
  if (files.length === 0) return undefined;
  const aside = join(data, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of files) renameSync(join(data, name), join(aside, name));
  return aside;
}

function requireBackup(dir: string): string {
  if (!existsSync(databasePath(dir))) throw new Error(`There is no backup in ${dir}.`);
  return databasePath(dir);
}
