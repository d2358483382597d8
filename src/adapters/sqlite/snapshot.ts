// A copy of a board's database as it is at one moment, made beside the board that writes to it.
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { Head } from "../../core/log/checkpoint.ts";
import { SqliteHead } from "./head.ts";
import { openDatabase } from "./open.ts";

/**
 * One read transaction, so that all of it is of the same moment however busy the board is; on disk when it returns.
 * Row by row and not page by page: what was erased is not copied.
 */
export function snapshot(from: string, to: string): void {
  const db = openDatabase(from, "read");
  try {
    db.prepare("VACUUM INTO ?").run(to);
  } finally {
    db.close();
  }
  sync(to);
}

/** A file's bytes are on disk when it returns. */
export function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Where the log of a database stands; throws where the file is damaged. */
export function soundHead(path: string): Head {
  const db = openDatabase(path, "read");
  try {
    const faults = db.prepare("PRAGMA quick_check(5)").all();
    if (faults.length !== 1 || faults[0]?.["quick_check"] !== "ok")
      throw new Error(`The database ${path} is damaged: ${faults.map((row) => String(row["quick_check"])).join("; ")}.`);
    return new SqliteHead(db).read();
  } finally {
    db.close();
  }
}
