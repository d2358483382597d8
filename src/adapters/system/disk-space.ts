// Free disk space.
import { statfsSync } from "node:fs";

/** Bytes that this user can still write on the disk of a file or directory. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
