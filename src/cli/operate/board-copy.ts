// A copy of a board as it is at one moment, for whoever checks it or puts it away.
import { join } from "node:path";
import { postgresHeadRecord } from "../../adapters/postgres/head-record.ts";
import { openPostgresStore } from "../../adapters/postgres/store.ts";
import { readPortions } from "../../adapters/postgres/transfer.ts";
import { databasePath } from "../../adapters/sqlite/open.ts";
import { snapshot, soundHead } from "../../adapters/sqlite/snapshot.ts";
import { fillDatabase } from "../../adapters/sqlite/transfer.ts";
import { headFile } from "../../adapters/system/head-file.ts";
import type { Config } from "../../config.ts";
import type { Checkpoint } from "../../core/log/checkpoint.ts";
import { requireBoardIn } from "./desk.ts";

/** The last head that the board signed, as far as this machine and the database know. */
export async function lastSigned({ data, databaseUrl }: Config): Promise<Checkpoint | undefined> {
  const file = headFile(join(data, "head.json"));
  if (databaseUrl === undefined) {
    requireBoardIn(data);
    return file.read();
  }
  const store = await openPostgresStore(databaseUrl, undefined, "operator");
  try {
    return await postgresHeadRecord(store.client, file).read();
  } finally {
    await store.close();
  }
}

/** The board of one moment as a SQLite database, wherever it is kept and however busy it is. */
export async function copyTo({ data, databaseUrl }: Config, path: string): Promise<void> {
  if (databaseUrl !== undefined) return readPortions(databaseUrl, (portions) => fillDatabase(path, portions));
  requireBoardIn(data);
  soundHead(databasePath(data));
  snapshot(databasePath(data), path);
}
