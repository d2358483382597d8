// Syncs to disk: the bytes of a file, or the names in a directory.
import { closeSync, fsyncSync, openSync } from "node:fs";

/** A file's bytes are on disk when it returns. */
export const syncFile = (path: string): void => syncOpened(openSync(path, "r+"));

/** The names of new and renamed files are on disk; Windows does that itself. */
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
