// What SQLite's result codes mean: for the program, and for the operator in a sentence that names the file and says what to do.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { barred, barredFromWriting, fullWords } from "../system/file-access-errors.ts";

/** Primary result codes of SQLite about the storage, not about the statement. */
export const SQLITE = { PERM: 3, BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 } as const;

/** The database file is not at its path any more (SQLITE_READONLY_DBMOVED). */
export const SQLITE_MOVED = 1032;
/** The shared index of the write-ahead log could not grow, which has only one reason: a full disk. SQLite calls it an I/O error. */
const IOERR_SHMSIZE = 4874;
/** A read that failed or returned too little. */
const IOERR_READS = [266, 522];

export const isFull = (errcode: number | undefined): boolean => errcode === SQLITE.FULL || errcode === IOERR_SHMSIZE;

export const errcodeOf = (error: unknown): number | undefined => (error as { errcode?: number } | undefined)?.errcode;
export const primaryCode = (errcode: number | undefined): number => (errcode ?? 0) & 0xff;

/** Another process holds the lock. */
export const isBusy = (error: unknown): boolean => primaryCode(errcodeOf(error)) === SQLITE.BUSY;

/** Reading failed, not writing: the file is damaged, or the disk cannot read it. */
export function isReadFault(error: unknown): boolean {
  const errcode = errcodeOf(error);
  return [SQLITE.CORRUPT, SQLITE.NOTADB].some((code) => code === primaryCode(errcode)) || IOERR_READS.some((code) => code === errcode);
}

/** The same error, or an explanation of it for this file; `mend` says what to do about a damaged one. */
export function fileFault(error: unknown, path: string, mend = restoreWords(path)): unknown {
  const words = faultWords(errcodeOf(error), path, (error as Error | undefined)?.message ?? "", mend);
  return words === undefined ? error : new Error(words, { cause: error });
}

const restoreWords = (path: string): string =>
  `Restore a backup, with the board stopped: blackboard operate restore-backup <dir of the backup> --data ${dirname(path)}`;

function faultWords(errcode: number | undefined, path: string, message: string, mend: string): string | undefined {
  if (isFull(errcode)) return fullWords(path);
  switch (primaryCode(errcode)) {
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return `The database ${path} is damaged: ${message}. ${mend}`;
    case SQLITE.BUSY:
      return `Another process holds the database ${path} (${message}). Try again when it is done.`;
    case SQLITE.PERM:
    case SQLITE.READONLY:
    case SQLITE.CANTOPEN:
      return refusedWords(path, message);
    case SQLITE.IOERR:
      return (
        barred(path, "read") ?? `The disk failed at ${path} (${message}). Look at the disk and its file system before you start again.`
      );
    default:
      return undefined;
  }
}

/** SQLite only says that it failed; the system says why. */
function refusedWords(path: string, message: string): string {
  const unreadable = barred(path, "read");
  if (unreadable !== undefined) return unreadable;
  const unwritable = barredFromWriting(dirname(path)) ?? barred(path, "write");
  if (unwritable === undefined) return `The database ${path} cannot be opened: ${message}.`;
  if (!existsSync(path)) return unwritable;
  return existsSync(`${path}-wal`)
    ? `${unwritable} Its newest entries are in ${path}-wal, which can only be read if the directory is writable.`
    : `${unwritable} To serve it without writing: serve --read-only on`;
}
