// What the search index reads of a PostgreSQL board, on its own connection.
import type { SearchSource } from "../../ports/search.ts";
import { searchSource } from "../sql/search-source.ts";
import { Client } from "./client.ts";
import { postgresRows } from "./dialect.ts";

interface PostgresSourceOptions {
  readonly url: string;
}

/** Called in the thread of the index; see `SourceModule`. */
export function openSource(options: unknown): SearchSource {
  const client = new Client({ url: (options as PostgresSourceOptions).url, connections: 1, name: "blackboard index" });
  return searchSource(postgresRows(client), () => client.end());
}
