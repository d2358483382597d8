// How much room there is on a disk.
import { statfsSync } from "node:fs";

/** Bytes that this user can still write where a file or directory is. */
export function roomBeside(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
