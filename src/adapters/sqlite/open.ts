// Opens the board's SQLite file with the durability the board promises, and brings its schema up to date.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeDirectory } from "../system/directory.ts";
import { migrate } from "./migrate.ts";
import { HISTORY } from "./schema.ts";

/** Older versions can corrupt a WAL database under concurrent checkpoints. */
const OLDEST_SQLITE = [3, 51, 3] as const;

/**
 * The file is mapped, so that only pages of the write-ahead log are kept here. Not many: the writer looks at its whole cache at the end
 * of each transaction, and every other connection drops its own after it, which for 64 MiB takes longer than most reads.
 */
const CACHE_KIB = 8192;

export const databasePath = (dataDir: string): string => join(dataDir, "board.db");

export function openDatabase(path: string, use: "write" | "read"): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: use === "read" });
  requireVersion(db);
  db.exec(`
    PRAGMA busy_timeout = 5000;
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA mmap_size = 1073741824;
    PRAGMA temp_store = MEMORY;
  `);
  if (use === "write") {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 4000;");
    requireFullSync(db);
    migrate(db, HISTORY);
  }
  return db;
}

/** Two boards on one file would sign two histories; the lock lasts as long as the process and dies with it. */
export function lockDataDir(dataDir: string): DatabaseSync {
  makeDirectory(dataDir);
  const lock = new DatabaseSync(join(homeOf(dataDir), "board.lock"));
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return lock;
  } catch {
    lock.close();
    throw new Error(`Another board is running on ${dataDir}. Stop it, or choose another --data directory.`);
  }
}

/** Where the file itself is: a link to it from another directory is no other file. */
function homeOf(dataDir: string): string {
  const path = databasePath(dataDir);
  return existsSync(path) ? dirname(realpathSync(path)) : dataDir;
}

function requireVersion(db: DatabaseSync): void {
  const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const parts = version.split(".").map(Number);
  for (const [i, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[i] ?? 0;
    if (part > oldest) return;
    if (part < oldest) throw new Error(`SQLite ${version} is too old; ${OLDEST_SQLITE.join(".")} or newer is needed. Use a newer Node.js.`);
  }
}

function requireFullSync(db: DatabaseSync): void {
  const { synchronous } = db.prepare("PRAGMA synchronous").get() as { synchronous: number };
  const { journal_mode: mode } = db.prepare("PRAGMA journal_mode").get() as { journal_mode: string };
  if (synchronous !== 2 || mode !== "wal") throw new Error(`SQLite did not take synchronous=FULL and WAL (got ${synchronous}, ${mode}).`);
}
