// What has to be on disk before anybody relies on it: the bytes of a file, or the names in a directory.
import { closeSync, fsyncSync, openSync } from "node:fs";

/** A file's bytes are on disk when it returns. */
export const syncFile = (path: string): void => syncOpened(openSync(path, "r+"));

/** The names of new files, and of those that were renamed, are on disk; Windows sees to that itself. */
export function syncDirectory(path: string): void {
  if (process.platform !== "win32") syncOpened(openSync(path, "r"));
}

function syncOpened(file: number): void {
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
