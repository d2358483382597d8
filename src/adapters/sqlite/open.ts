// Opens the board's SQLite file with the durability that the board promises, and migrates its schema.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { barredFromWriting } from "../system/file-access-errors.ts";
import { makeDirectory } from "../system/make-directory.ts";
import { fileFault, isBusy } from "./faults.ts";
import { requireWay } from "../sql/schema.ts";
import { migrate, versionOf } from "./migrate.ts";
import { HISTORY } from "./schema.ts";

/** Older versions can corrupt a WAL database under concurrent checkpoints. */
const OLDEST_SQLITE = "3.51.3";

/**
 * The file is memory-mapped, so that only pages of the write-ahead log are cached here. The cache is small: the writer scans its whole
 * cache at the end of each transaction, and every other connection then drops its own, which for 64 MiB takes longer than most reads.
 */
const CACHE_KIB = 8192;

export const databasePath = (dataDir: string): string => join(dataDir, "board.db");

/**
 * Files that a board leaves beside its database once it has run, or an interrupted restore; a key alone may have been put there for a new
 * board.
 */
const TRACES = /^(?:head(?:-ag_[0-9a-f]+)?\.json|index|replaced-.+|board\.db\.next)$/;

/** The traces of a board in this directory. */
export const tracesIn = (dataDir: string): readonly string[] =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => TRACES.test(name)) : [];

/** Throws an explanation for the operator if the file cannot be used. */
export function openDatabase(path: string, use: "write" | "read"): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(use === "read" && isSealed(path) ? sealedUrl(path) : path, { readOnly: use === "read" });
    requireVersion(db);
    db.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA mmap_size = 1073741824;
      PRAGMA temp_store = MEMORY;
      PRAGMA schema_version;
    `);
    if (use === "write") {
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 4000;");
      requireFullSync(db);
      migrate(db, HISTORY);
    } else if (versionOf(db) > 0) requireWay(versionOf(db), HISTORY);
    return db;
  } catch (error) {
    db?.close();
    throw fileFault(error, path);
  }
}

/**
 * Whether nothing can be written in the file's directory, and no process that could write has the file open. SQLite reads such a file only
 * with an option that says that the file does not change.
 */
function isSealed(path: string): boolean {
  if (existsSync(`${path}-shm`) || (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  return barredFromWriting(dirname(path)) !== undefined;
}

function sealedUrl(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

/** A board runs in the directory. */
export class InUse extends Error {}

/** Two boards on one file would sign two histories; the lock lasts as long as the process. */
export function lockDataDir(dataDir: string): DatabaseSync {
  makeDirectory(dataDir);
  const words = `Another board is running on ${dataDir}. Stop it, or choose another --data directory.`;
  return lockFile(join(homeOf(dataDir), "board.lock"), words);
}

/** One process at a time has the file, until it closes the lock or ends; throws `InUse` with these words if another has it. */
export function lockFile(path: string, inUse: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path);
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return lock;
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new InUse(inUse);
    throw fileFault(error, path, "It holds nothing: delete it, and start again.");
  }
}

/** The real path of the file: a link to it from another directory is the same file. */
function homeOf(dataDir: string): string {
  const path = databasePath(dataDir);
  return existsSync(path) ? dirname(realpathSync(path)) : dataDir;
}

function requireVersion(db: DatabaseSync): void {
  const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  if (version.localeCompare(OLDEST_SQLITE, "en", { numeric: true }) < 0)
    throw new Error(`SQLite ${version} is too old; ${OLDEST_SQLITE} or newer is needed. Use a newer Node.js.`);
}

function requireFullSync(db: DatabaseSync): void {
  const { synchronous } = db.prepare("PRAGMA synchronous").get() as { synchronous: number };
  const { journal_mode: mode } = db.prepare("PRAGMA journal_mode").get() as { journal_mode: string };
  if (synchronous !== 2 || mode !== "wal") throw new Error(`SQLite did not take synchronous=FULL and WAL (got ${synchronous}, ${mode}).`);
}
