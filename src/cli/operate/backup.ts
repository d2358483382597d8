// `blackboard operate backup` and `restore-backup`: everything a board is, in a directory of its own, and back.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { Client } from "../../adapters/postgres/client.ts";
import { PostgresModeration } from "../../adapters/postgres/moderation.ts";
import { databasePath, lockDataDir, openDatabase } from "../../adapters/sqlite/open.ts";
import { SqliteModeration } from "../../adapters/sqlite/moderation.ts";
import { soundHead, sync } from "../../adapters/sqlite/snapshot.ts";
import { headFile } from "../../adapters/system/head-file.ts";
import type { Config } from "../../config.ts";
import type { Head } from "../../core/log/checkpoint.ts";
import type { Action } from "../../core/message/moderation.ts";
import { copyBoard } from "../copy.ts";
import { copyTo, lastSigned } from "./board-copy.ts";
import { atDesk, configOf, type DeskOptions, offDesk } from "./desk.ts";

const KEY = "board.key";
const HEAD = "head.json";

export function backupCommands(operate: Command): void {
  atDesk(operate.command("backup").argument("<dir>").description("copy the board as it is now, while it runs"))
    .option("--no-key", "leave the board's key out")
    .action(backup);
  atDesk(operate.command("restore-backup").argument("<dir>").description("put a backup in place; the board must be stopped"))
    .option("--replaced-url <url>", "the PostgreSQL database that the board was in, to list the decisions that the backup does not know")
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
  mkdirSync(dir, { recursive: true, mode: 0o700 });
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
    const lost = options.replacedUrl === undefined ? [] : await decisionsIn(options.replacedUrl, seq);
    const restored = await restoreToDatabase(config, config.databaseUrl, dir);
    const lines = [`Restored the database to entry ${restored.seq}, and verified it.`, ...toTakeAgain(lost)];
    return tell(lines.join("\n"), { restored, lost });
  }
  await confirm(`Put the backup in ${dir}, up to entry ${seq}, in the place of the board in ${config.data}?`);
  const { head, signed, replaced, lost } = await restoreBackup(config, dir);
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
    ...toTakeAgain(lost),
  ];
  tell(lines.join("\n"), { restored: head, signed_seq: signed?.seq ?? null, read_only: behind, replaced: replaced ?? null, lost });
}

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
  /** Decisions in force that came after the backup. */
  readonly lost: readonly Action[];
}

export async function restoreBackup({ data, keyFile }: Config, dir: string): Promise<Restored> {
  const from = requireBackup(dir);
  const head = soundHead(from);
  const lock = lockDataDir(data);
  try {
    if (existsSync(join(dir, KEY))) restoreKey(join(dir, KEY), keyFile);
    const lost = existsSync(databasePath(data)) ? decisionsAfter(databasePath(data), head.seq) : [];
    const replaced = setAside(data);
    const next = `${databasePath(data)}.next`;
    copyFileSync(from, next);
    chmodSync(next, 0o600);
    sync(next);
    // A crash before this line leaves no database, and the old one beside it; after it, the backup is in place.
    renameSync(next, databasePath(data));
    return { head, signed: await newestHead(data, dir), replaced, lost };
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

const toTakeAgain = (lost: readonly Action[]): readonly string[] =>
  lost.length === 0
    ? []
    : ["Decisions that the backup does not know; take them again:", ...lost.map(({ id, target }) => `  ${id} ${target}`)];

const ALL_ACTIONS = { since: 0, before: undefined, limit: 10_000 };
const missedBy = (seq: number) => (action: Action) => action.seq > seq && action.state === "in_force";

/** Decisions in force in the database that the board was in, after the last entry of the backup. */
export async function decisionsIn(url: string, seq: number): Promise<readonly Action[]> {
  const client = new Client({ url, connections: 1, name: "blackboard restore" });
  try {
    return (await new PostgresModeration(client).actions(ALL_ACTIONS)).filter(missedBy(seq));
  } finally {
    await client.end();
  }
}

/** None where the old database cannot even be read. */
function decisionsAfter(path: string, seq: number): readonly Action[] {
  try {
    const db = openDatabase(path, "read");
    try {
      return new SqliteModeration(db).actions(ALL_ACTIONS).filter(missedBy(seq));
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}

function requireBackup(dir: string): string {
  if (!existsSync(databasePath(dir))) throw new Error(`There is no backup in ${dir}.`);
  return databasePath(dir);
}
