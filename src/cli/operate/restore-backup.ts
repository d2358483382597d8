// `blackboard operate restore-backup`: replaces the board by a backup, with its key, and lists what that undoes.
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { knownBoardKey, recordBoardKey } from "../../adapters/sqlite/board-identity.ts";
import { databasePath, lockDataDir } from "../../adapters/sqlite/open.ts";
import { soundHead } from "../../adapters/sqlite/snapshot.ts";
import { barred, systemWords } from "../../adapters/system/file-access-errors.ts";
import { HEAD_FILE, headFileIn } from "../../adapters/system/head-file.ts";
import { syncFile } from "../../adapters/system/sync.ts";
import type { Config } from "../../config.ts";
import type { Checkpoint, Head } from "../../core/log/chain-checkpoint.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { inDatabase } from "../../storage/in-database.ts";
import { signersAt } from "../../storage/key-ring.ts";
import { inDirectory } from "../../storage/in-directory.ts";
import { byStore } from "../../storage/open.ts";
import { copyToPostgres } from "./copy.ts";
import { withOperator, configOf, type OperatorOptions, withClosedBoard, withOpenBoard } from "./operator-session.ts";
import { KEY_FILE, keyFilesIn, type KeysMove, keysMove, ownKeys, keyWords, type MovedKey } from "./move-board-key.ts";
import { giveToOwnerOf } from "./chown-to-board-owner.ts";
import { reapply, REPLACED_URL } from "./list-or-reapply-undone.ts";
import { type Undone, undoneBy } from "./undone.ts";
import { givenOutLines, shellQuoted, undoneLines, undoneView } from "./undone-words.ts";

/** The files that a restore writes into the board's directory, besides the key. */
const FILES = ["board.db", HEAD_FILE, "board.lock"];

interface RestoreOptions extends OperatorOptions {
  readonly replacedUrl?: string;
  readonly reapply?: boolean;
}

export function restoreBackupCommand(operate: Command): void {
  withOperator(operate.command("restore-backup").argument("<dir>").description("replace the board by a backup; the board must be stopped"))
    .option(...REPLACED_URL)
    .option("--reapply", "then do again what the backup undoes: decisions, switches, closed reports")
    .action(restore);
}

async function restore(dir: string, options: RestoreOptions): Promise<void> {
  const config = configOf(options);
  const { seq } = soundBackup(dir);
  await byStore(config, {
    directory: () => restoreDirectory(dir, seq, config, options),
    database: (url) => restoreDatabase(dir, seq, config, url, options),
  });
}

async function restoreDatabase(dir: string, seq: number, config: Config, url: string, options: RestoreOptions): Promise<void> {
  const { confirm } = withClosedBoard(options);
  await confirm(`Put the backup in ${dir}, up to entry ${seq}, into the empty database?`);
  // Checked before anything is written: if the database cannot be read, nothing has changed.
  const was = options.replacedUrl === undefined ? undefined : await inDatabase(options.replacedUrl, config.data).acts([]);
  const undone = was && (await undoneBy(was, inDirectory(dir)));
  const { head, key } = await restoreToDatabase(config, url, dir);
  const lines = [
    `Restored the database to entry ${head.seq}, and verified it.`,
    keyWords(key, true),
    ...givenOutLines(undone?.givenOut, seq, true),
  ];
  await tellUndone(options, undone, ["--replaced-url", "..."], { lines, json: { restored: head, key } });
}

async function restoreDirectory(dir: string, seq: number, config: Config, options: RestoreOptions): Promise<void> {
  const { confirm } = withClosedBoard(options);
  await confirm(`Put the backup in ${dir}, up to entry ${seq}, in the place of the board in ${config.data}?`);
  const { head, signed, replaced, undone, key } = await restoreBackup(config, dir);
  const behind = signed !== undefined && signed.seq > head.seq;
  const lines = [
    `Restored ${config.data} to entry ${head.seq}.`,
    keyWords(key, config.keyFile !== join(config.data, KEY_FILE)),
    ...(replaced === undefined ? [] : [`The replaced board is in ${replaced}: delete it when you do not need it any more.`]),
    ...(behind
      ? [
          `The last head that the board signed is entry ${signed.seq}: it will start read-only, because it must not sign a second history.`,
          `Find a newer backup. To continue from this one anyway, move ${config.keyFile} away and start with --new-key on: it is then another board, and you must tell its readers. Or let the same board continue under a new log name: blackboard operate accept-history`,
        ]
      : []),
    ...givenOutLines(undone?.givenOut, head.seq, !behind),
    ...(replaced !== undefined && undone === undefined
      ? ["The replaced board cannot be read, so it is unknown which decisions are missing in the backup."]
      : []),
  ];
  const json = { restored: head, key, signed_seq: signed?.seq ?? null, read_only: behind, replaced: replaced ?? null };
  await tellUndone(options, undone, [replaced ?? "", "--data", config.data], { lines, json });
}

/** Lists what the backup undoes, with the command that does it again, or does it again at once; `where` are the flags of that command. */
async function tellUndone(
  options: RestoreOptions,
  undone: Undone | undefined,
  where: readonly string[],
  { lines, json }: { readonly lines: readonly string[]; readonly json: object },
): Promise<void> {
  const { print } = withClosedBoard(options);
  const list = undone === undefined ? [] : undoneLines(undone);
  const command = `blackboard operate undone ${where.map(shellQuoted).join(" ")} --reapply`;
  const all = { ...json, ...undoneView(undone) };
  if (undone === undefined || list.length === 0) return print(lines.join("\n"), all);
  if (options.reapply !== true) return print([...lines, ...list, `To do all of that again: ${command}`].join("\n"), all);
  await withOpenBoard(options, async (session) => {
    const shown = [...lines, ...list];
    if ((await session.signedAhead()) !== undefined) {
      print(shown.join("\n"), all);
      throw new Error(`That cannot be done again now, because the board is read-only. When it accepts writes again: ${command}`);
    }
    const { text, json: reapplied, fault } = await reapply(session, undone);
    print([...shown, text].join("\n"), { ...all, reapplied });
    if (fault !== undefined) throw new Error(fault);
  });
}

/** A backup is an ordinary SQLite board. A node that knows a newer signed head starts read-only on it. */
export async function restoreToDatabase(
  config: Config,
  to: string,
  dir: string,
  now = Date.now(),
): Promise<Pick<Restored, "head" | "key">> {
  soundBackup(dir);
  const { pk, move } = await keysFrom(dir, config, now);
  if (pk === undefined)
    throw new Error(`Neither ${dir} nor ${config.keyFile} says which board this backup is of. Give the board's own key with --key-file.`);
  const head = await copyToPostgres({ from: dir, to, pk }, now);
  const { key, written } = move();
  if (written.length > 0 && existsSync(config.data)) giveToOwnerOf(config.data, written);
  return { head, key };
}

export interface Restored {
  readonly head: Head;
  readonly key: MovedKey;
  /** The newest head known to have been signed. */
  readonly signed: Head | undefined;
  /** The place of the database that was there before. */
  readonly replaced: string | undefined;
  /** The operator's acts in the database that was there before; undefined if there was none, or it cannot be read. */
  readonly undone: Undone | undefined;
}

export async function restoreBackup(config: Config, dir: string, now = Date.now()): Promise<Restored> {
  const { data } = config;
  const head = soundBackup(dir);
  const { pk, move } = await keysFrom(dir, config, now);
  const from = databasePath(dir);
  using _lock = lockDataDir(data);
  await requireSameBoard(data, pk);
  // Checked before anything is written: if one is damaged, nothing has changed.
  const heads = await headsIn(data, dir, pk);
  const there = inDirectory(data);
  const was = there.isThere() ? await there.acts([]).catch(() => undefined) : undefined;
  const undone = was && (await undoneBy(was, inDirectory(dir)));
  const next = `${databasePath(data)}.next`;
  takeCopy(from, next, pk);
  const { key, written } = move();
  const replaced = setAside(data);
  // A crash before this line leaves no database, with the old one beside it. After it, the backup is in place.
  renameSync(next, databasePath(data));
  const signed = await newestHead(heads, data, pk);
  giveToOwnerOf(data, [...FILES.map((name) => join(data, name)), ...written, ...(replaced === undefined ? [] : [replaced])]);
  return { head, key, signed, replaced, undone };
}

/** The id is also found if the key is kept elsewhere or lost. A database that cannot be read has no id: backups exist for that case. */
async function requireSameBoard(data: string, pk: string | undefined): Promise<void> {
  const path = databasePath(data);
  const there = existsSync(path) ? await Promise.try(knownBoardKey, path).catch(() => undefined) : undefined;
  if (there === undefined || pk === undefined || there === pk) return;
  throw new Error(
    `The backup is of ${agentId(pk)}, but ${data} holds another board, ${agentId(there)}. Choose another --data directory; or, if that board is not needed any more, move ${path} away.`,
  );
}

/** `pk` is that of the board's first key. */
async function keysFrom(dir: string, config: Config, now: number): Promise<KeysMove> {
  const identity = await inDirectory(dir).identity();
  const keys = keysMove(signersAt(identity, now), keyFilesIn(dir), ownKeys(config));
  return { ...keys, pk: identity.pk ?? keys.pk };
}

/** Copies all files beside the existing database, or none. */
function takeCopy(from: string, to: string, pk: string | undefined): void {
  try {
    copyFileSync(from, to);
    chmodSync(to, 0o600);
    // Older backups do not record the board's id; their signed head proves it.
    if (pk !== undefined) recordBoardKey(to, pk);
    syncFile(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw new Error(systemWords(error, to, "write") ?? (error as Error).message, { cause: error });
  }
}

type Heads = readonly [here: Checkpoint | undefined, there: Checkpoint | undefined];
const headsIn = async (data: string, dir: string, pk: string | undefined): Promise<Heads> => [
  await headFileIn(data, pk).read(),
  await headFileIn(dir, pk).read(),
];

/** The last signed head is never replaced by an older one. */
async function newestHead([here, there]: Heads, data: string, pk: string | undefined): Promise<Head | undefined> {
  if (there === undefined || (here !== undefined && here.seq >= there.seq)) return here;
  return headFileIn(data, pk).write(there);
}

function setAside(data: string): string | undefined {
  const files = ["board.db", "board.db-wal", "board.db-shm"].filter((name) => existsSync(join(data, name)));
  if (files.length === 0) return undefined;
  const aside = join(data, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of files) renameSync(join(data, name), join(aside, name));
  return aside;
}

/** The head of the backup's log. */
function soundBackup(dir: string): Head {
  const path = databasePath(dir);
  const unreadable = barred(path, "read");
  if (unreadable !== undefined) throw new Error(unreadable);
  if (!existsSync(path)) throw new Error(`There is no backup in ${dir}.`);
  return soundHead(path, "Take another backup.");
}
