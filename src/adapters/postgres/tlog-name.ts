// The name and the key of the tree's heads, in PostgreSQL, for all nodes.
import type { TlogName } from "../../ports/tlog-identity.ts";
import { ADD_TLOG_NAME, NEWEST_TLOG_NAME, tlogNameValues } from "../sql/tlog-name.ts";
import type { Client } from "./client.ts";

/** Undefined if there is no tree yet. */
export async function knownTlogName(client: Client): Promise<TlogName | undefined> {
  const [row] = await client.query<TlogName>(NEWEST_TLOG_NAME);
  return row;
}

export async function recordTlogName(client: Client, name: TlogName): Promise<void> {
  await client.query(ADD_TLOG_NAME, tlogNameValues(name));
}
