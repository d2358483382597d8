// What the search index reads of a SQLite board, on a connection of its own.
import type { SearchSource } from "../../ports/search.ts";
import { searchSource } from "../sql/search-source.ts";
import { openDatabase } from "./open.ts";
import { SqliteRows } from "./rows.ts";

interface SqliteSourceOptions {
  /** Path of the database file, which exists already. */
  readonly path: string;
}

/** Called on the thread of the index; see `SourceModule`. */
export function openSource(options: unknown): SearchSource {
  const db = openDatabase((options as SqliteSourceOptions).path, "read");
  return searchSource(new SqliteRows(db), () => db.close());
}
