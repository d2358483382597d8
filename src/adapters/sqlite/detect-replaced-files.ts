// Checks whether the files that a board has open are still those at their paths: data written to a deleted file is lost with the process.
import { statSync } from "node:fs";
import { StoreFailure } from "../../ports/store.ts";
import { SQLITE_MOVED } from "./faults.ts";

/** The database, its write-ahead log and the shared index of that log. */
const SUFFIXES = ["", "-wal", "-shm"];

/** The file at a path; empty if there is none. */
function fileAt(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev} ${found.ino}`;
}

export class OpenFiles {
  readonly #found: readonly (readonly [path: string, file: string])[];

  /** As they are now, under an open connection. */
  constructor(path: string) {
    this.#found = SUFFIXES.map((suffix) => [path + suffix, fileAt(path + suffix)] as const).filter(([, file]) => file !== "");
  }

  /** Throws, with SQLite's own code for it, if one was removed, moved or replaced. */
  require(): void {
    const gone = this.#found.find(([path, file]) => fileAt(path) !== file);
    if (gone === undefined) return;
    const words =
      `${gone[0]} was removed, moved or replaced while the board runs, and what is written now would be lost. ` +
      "Put the same file back; if it is gone, stop the board and restore a backup (blackboard operate restore-backup)";
    throw Object.assign(new StoreFailure("storage_unavailable", words), { errcode: SQLITE_MOVED });
  }
}
