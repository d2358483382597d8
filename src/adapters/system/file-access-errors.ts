// Explains why this user cannot read or write a file, and what to do about it.
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

type Want = "read" | "write";
const WANTED = { read: constants.R_OK, write: constants.W_OK };

/** Undefined if it may, or if nothing is at that path. */
export function barred(path: string, want: Want): string | undefined {
  try {
    accessSync(path, WANTED[want]);
    return undefined;
  } catch (error) {
    return systemWords(error, path, want);
  }
}

/**
 * Tries to write in a directory: after a disk fault, a file system may refuse every write although the permissions allow it. A full disk is
 * not reported here.
 */
export function barredFromWriting(dir: string): string | undefined {
  if (!existsSync(dir)) return undefined;
  const words = barred(dir, "write");
  if (words !== undefined) return words;
  try {
    rmdirSync(mkdtempSync(join(dir, ".try-")));
    return undefined;
  } catch (error) {
    return isRefused(error) ? systemWords(error, dir, "write") : undefined;
  }
}

const isRefused = (error: unknown): boolean => ["EROFS", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");

/** The system's error in words; undefined if it is none of the usual ones. */
export function systemWords(error: unknown, path: string, want: Want): string | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
    case "EPERM":
      return `${deniedWords(path, want)}. Run the command as the owner, or change the owner with chown.`;
    case "EROFS":
      return `${path} is on a read-only file system. Mount it writable.`;
    case "ENOSPC":
    case "EDQUOT":
      return fullWords(path);
    default:
      return undefined;
  }
}

/** Says which user may not do it and who owns the file, but not what to do, which differs. */
export const deniedWords = (path: string, want: Want): string =>
  `This user (${userWords(process.getuid?.())}) may not ${want} ${path}${ownerWords(path)}`;

export const fullWords = (path: string): string => `The disk that holds ${path} is full. Free some space, and try again.`;

const userWords = (uid: number | undefined): string => (uid === 0 ? "root" : `uid ${uid ?? "unknown"}`);

/** The owner of the file, or of the closest parent directory that this user can see. */
function ownerWords(path: string): string {
  for (let seen = resolve(path); ; seen = dirname(seen)) {
    try {
      const owner = userWords(statSync(seen).uid);
      return seen === resolve(path) ? `, which belongs to ${owner}` : `, for ${seen} belongs to ${owner}`;
    } catch {
      if (seen === dirname(seen)) return "";
    }
  }
}
