// The name and the key of the tree's heads, in a SQLite file.
import type { TlogName } from "../../ports/tlog-identity.ts";
import { ADD_TLOG_NAME, NEWEST_TLOG_NAME, tlogNameValues } from "../sql/tlog-name.ts";
import { prepared } from "./dialect.ts";
import { openDatabase } from "./open.ts";

/** Undefined if there is no tree yet. */
export async function knownTlogName(path: string): Promise<TlogName | undefined> {
  using db = openDatabase(path, "read");
  return db.prepare(NEWEST_TLOG_NAME).get() as TlogName | undefined;
}

export function recordTlogName(path: string, name: TlogName): void {
  using db = openDatabase(path, "write");
  prepared(db, ADD_TLOG_NAME).run(...tlogNameValues(name));
}
