// Where the board keeps itself, by configuration: SQLite in the data directory, or a PostgreSQL that several nodes share.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { knownBoardKey, requireBoardKey } from "./adapters/postgres/board-key.ts";
import { postgresHeadRecord } from "./adapters/postgres/head-record.ts";
import { openPostgresStore } from "./adapters/postgres/store.ts";
import type { SourceModule } from "./adapters/search/search-thread.ts";
import { databasePath, lockDataDir } from "./adapters/sqlite/open.ts";
import { openSqliteStore } from "./adapters/sqlite/store.ts";
import { loadBoardKey } from "./adapters/system/board-key.ts";
import { headFile } from "./adapters/system/head-file.ts";
import { workerUrl } from "./adapters/system/worker-url.ts";
import type { Config } from "./config.ts";
import type { HeadRecord } from "./ports/head-record.ts";
import type { Peers } from "./ports/peers.ts";
import type { SigningKey } from "./ports/signing-key.ts";
import { type Store, StoreFailure } from "./ports/store.ts";
import type { Wakeup } from "./ports/wakeup.ts";

export interface Storage {
  readonly store: Store;
  readonly key: SigningKey;
  readonly record: HeadRecord;
  /** What the search index reads. */
  readonly source: SourceModule;
  /** What other nodes write and say; undefined where there are none. */
  readonly others: (Wakeup & Peers) | undefined;
  close(): Promise<void>;
}

/** `onFatal` hears of a failure after which only a restart is safe. */
export function openStorage(config: Config, onFatal: (error: Error) => void): Promise<Storage> {
  return config.databaseUrl === undefined ? onSqlite(config, onFatal) : onPostgres(config, config.databaseUrl);
}

const recordIn = (data: string): HeadRecord => headFile(join(data, "head.json"));
const sourceModule = (name: string, options: unknown): SourceModule => ({ url: workerUrl(name, import.meta.url).href, options });

async function onSqlite({ data, keyFile }: Config, onFatal: (error: Error) => void): Promise<Storage> {
  const store = await openSqliteStore(data, onFatal);
  return {
    store,
    key: loadBoardKey(keyFile),
    record: recordIn(data),
    source: sourceModule("adapters/sqlite/search-source", { path: databasePath(data) }),
    others: undefined,
    close: () => store.close(),
  };
}

async function onPostgres({ data, keyFile, databaseReadUrl }: Config, url: string): Promise<Storage> {
  // Each node has a directory of its own, for its search index and the last head it saw signed.
  const lock = lockDataDir(data);
  const store = await openPostgresStore(url, databaseReadUrl).catch((error: unknown) => {
    lock.close();
    throw error instanceof StoreFailure ? unreachable(error) : error;
  });
  const close = async (): Promise<void> => {
    await store.close();
    lock.close();
  };
  try {
    const known = await knownBoardKey(store.client);
    if (known !== undefined && !existsSync(keyFile))
      throw new Error(
        `The board in this database has the public key ${known}. Give its key file with --key-file; there is none at ${keyFile}.`,
      );
    const key = loadBoardKey(keyFile);
    await requireBoardKey(store.client, key.pk);
    return {
      store,
      key,
      record: postgresHeadRecord(store.client, recordIn(data)),
      source: sourceModule("adapters/postgres/search-source", { url }),
      others: store,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the server or the way to it said, and where to look; the address itself may hold a password. */
function unreachable({ message }: StoreFailure): Error {
  return new Error(`The database cannot be used: ${message}. Check --database-url, and that PostgreSQL runs there.`);
}
