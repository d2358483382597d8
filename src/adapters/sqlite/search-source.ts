// What the search index reads of a SQLite board, on its own connection.
import type { SearchSource } from "../../ports/search.ts";
import { searchSource } from "../sql/search-source.ts";
import { openDatabase } from "./open.ts";
import { SqliteRows } from "./statement-runner.ts";

interface SqliteSourceOptions {
  /** Path of the database file, which must exist. */
  readonly path: string;
}

/** Called in the thread of the index; see `SourceModule`. */
export function openSource(options: unknown): SearchSource {
  const db = openDatabase((options as SqliteSourceOptions).path, "read");
  return searchSource(new SqliteRows(db), () => db.close());
}
