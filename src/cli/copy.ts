// `blackboard copy`: moves a board from SQLite to PostgreSQL or back, chain intact, and verifies it where it has arrived.
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { openPostgresStore } from "../adapters/postgres/store.ts";
import { postgresHeadRecord } from "../adapters/postgres/head-record.ts";
import { fillPostgres, nodesAt, readPortions } from "../adapters/postgres/transfer.ts";
import { databasePath, lockDataDir, openDatabase } from "../adapters/sqlite/open.ts";
import { soundHead } from "../adapters/sqlite/snapshot.ts";
import { fillDatabase, portionsOf } from "../adapters/sqlite/transfer.ts";
import { loadBoardKey } from "../adapters/system/board-key.ts";
import { makeDirectory } from "../adapters/system/directory.ts";
import { headFile } from "../adapters/system/head-file.ts";
import type { Head } from "../core/log/checkpoint.ts";
import { checkConfigured } from "./operate/check.ts";
import { configOf, NO_DATABASE } from "./operate/desk.ts";

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

const KEY = "board.key";
const HEAD = "head.json";
const isDatabase = (place: string): boolean => /^postgres(ql)?:\/\//.test(place);

export function copyCommand(program: Command): void {
  program
    .command("copy")
    .description("move a board from SQLite to PostgreSQL or back, and verify it there; every board on it must be stopped")
    .requiredOption("--from <place>", "directory of a SQLite board, or postgres://...")
    .requiredOption("--to <place>", "the other of both, empty")
    .option("--key-file <file>", "the board's own key; the one in the SQLite directory unless given")
    .option("--json", "print JSON")
    .action(async (options: CopyOptions) => {
      const head = await copyBoard(options);
      const key = isDatabase(options.to) ? " Start every board on it with the same --key-file." : "";
      const words = `Copied and verified: ${options.to.replace(/\/\/.*@/, "//")} stands at entry ${head.seq}, ${head.hash}.${key}`;
      process.stdout.write(options.json === true ? `${JSON.stringify({ copied: head })}\n` : `${words}\n`);
    });
}

export async function copyBoard(options: CopyOptions, now: number = Date.now()): Promise<Head> {
  const { from, to } = options;
  if (isDatabase(from) === isDatabase(to))
    throw new Error("Give a directory and a postgres:// address: one to copy from, the other to copy to.");
  const head = isDatabase(to) ? await toPostgres(options) : await toSqlite(options);
  await requireSound(options, now);
  return head;
}

async function toPostgres({ from, to, keyFile = join(from, KEY) }: CopyOptions): Promise<Head> {
  soundHead(requireBoard(from));
  const key = loadBoardKey(requireKey(keyFile));
  const lock = lockDataDir(from);
  const db = openDatabase(databasePath(from), "write");
  const store = await openPostgresStore(to);
  try {
    const head = await fillPostgres(to, portionsOf(db), key.pk);
    const signed = await headFile(join(from, HEAD)).read();
    if (signed !== undefined)
      await postgresHeadRecord(store.client, { read: async () => undefined, write: async (one) => one }).write(signed);
    return head;
  } finally {
    await store.close();
    db.close();
    lock.close();
  }
}

async function toSqlite({ from, to, keyFile }: CopyOptions): Promise<Head> {
  if (existsSync(databasePath(to))) throw new Error(`There is a board in ${to} already. Give a directory without one.`);
  const nodes = await nodesAt(from);
  if (nodes > 0)
    throw new Error(`Boards are running on that database (${nodes} connections). Stop them first: two copies must not go on side by side.`);
  const store = await openPostgresStore(from, undefined, "operator");
  makeDirectory(to);
  const lock = lockDataDir(to);
  try {
    await readPortions(from, (portions) => fillDatabase(databasePath(to), portions));
    const signed = await postgresHeadRecord(store.client, headFile(join(to, HEAD))).read();
    if (signed !== undefined) await headFile(join(to, HEAD)).write(signed);
    if (keyFile !== undefined) copyFileSync(requireKey(keyFile), join(to, KEY));
    return soundHead(databasePath(to));
  } finally {
    await store.close();
    lock.close();
  }
}

/** Nothing is taken on trust: every signature, the chain, the signed head and every derived fact, where the board is now. */
async function requireSound({ from, to, keyFile }: CopyOptions, now: number): Promise<void> {
  // The head that came along counts, not what this machine happens to know of another board.
  const place = isDatabase(to) ? { databaseUrl: to, data: from } : { databaseUrl: NO_DATABASE, data: to };
  const { faults, findings } = await checkConfigured(configOf({ ...place, ...(keyFile === undefined ? {} : { keyFile }) }), now);
  if (faults === 0) return;
  const some = findings.slice(0, 5).map(({ where, fault }) => `${where} ${fault}`);
  throw new Error(`The copy has ${faults} faults and must not be used: ${some.join("; ")}`);
}

function requireBoard(dir: string): string {
  if (!existsSync(databasePath(dir))) throw new Error(`There is no board in ${dir}.`);
  return databasePath(dir);
}

function requireKey(path: string): string {
  if (!existsSync(path)) throw new Error(`There is no key in ${path}. Give the board's own key with --key-file.`);
  return path;
}
