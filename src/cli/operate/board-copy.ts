// A copy of a board as it is at one moment, for whoever checks it or puts it away.
import { knownBoardKey as knownToPostgres } from "../../adapters/postgres/board-key.ts";
import { postgresHeadRecord } from "../../adapters/postgres/head-record.ts";
import { openPostgresStore } from "../../adapters/postgres/store.ts";
import { readPortions } from "../../adapters/postgres/transfer.ts";
import { knownBoardKey } from "../../adapters/sqlite/board-key.ts";
import { databasePath } from "../../adapters/sqlite/open.ts";
import { snapshot, soundHead } from "../../adapters/sqlite/snapshot.ts";
import { fillDatabase } from "../../adapters/sqlite/transfer.ts";
import { headFileIn } from "../../adapters/system/head-file.ts";
import type { Config } from "../../config.ts";
import type { Checkpoint } from "../../core/log/checkpoint.ts";
import { requireBoardIn } from "./desk.ts";

export interface Identity {
  /** The public half of the board's key; undefined where nobody can tell. */
  readonly pk: string | undefined;
  /** The last head that it signed, as far as this machine and the database know. */
  readonly signed: Checkpoint | undefined;
}

/** Whose board it is. */
export async function identityOf({ data, databaseUrl }: Pick<Config, "data" | "databaseUrl">): Promise<Identity> {
  if (databaseUrl === undefined) {
    requireBoardIn(data);
    const pk = await knownBoardKey(databasePath(data));
    return { pk, signed: await headFileIn(data, pk).read() };
  }
  const store = await openPostgresStore(databaseUrl, undefined, "operator");
  try {
    const pk = await knownToPostgres(store.client);
    return { pk, signed: await postgresHeadRecord(store.client, headFileIn(data, pk), pk).read() };
  } finally {
    await store.close();
  }
}

/** The board of one moment as a SQLite database, wherever it is kept and however busy it is. */
export async function copyTo({ data, databaseUrl }: Config, path: string, { pk }: Pick<Identity, "pk">): Promise<void> {
  if (databaseUrl !== undefined) return readPortions(databaseUrl, (portions) => fillDatabase(path, portions, pk));
  requireBoardIn(data);
  soundHead(databasePath(data));
  await snapshot(databasePath(data), path);
}
