// Where the board keeps itself, by configuration: SQLite in the data directory, or a PostgreSQL that several nodes share.
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unreachable } from "./adapters/postgres/address.ts";
import { knownBoardKey as knownToPostgres, recordBoardKey as recordInPostgres } from "./adapters/postgres/board-key.ts";
import { storeFailure } from "./adapters/postgres/failure.ts";
import { postgresHeadRecord } from "./adapters/postgres/head-record.ts";
import { openPostgresStore } from "./adapters/postgres/store.ts";
import { nodesAt } from "./adapters/postgres/transfer.ts";
import type { SourceModule } from "./adapters/search/search-thread.ts";
import { knownBoardKey, recordBoardKey } from "./adapters/sqlite/board-key.ts";
import { databasePath, lockDataDir, tracesIn } from "./adapters/sqlite/open.ts";
import { openSealedStore, openSqliteStore } from "./adapters/sqlite/store.ts";
import { barredFromWriting } from "./adapters/system/access.ts";
import { makeBoardKey, readBoardKey, requireBoardKey } from "./adapters/system/board-key.ts";
import { headFileIn, keepFormerHead, requireSound } from "./adapters/system/head-file.ts";
import { workerUrl } from "./adapters/system/worker-url.ts";
import type { Config } from "./config.ts";
import { Refusal } from "./core/errors.ts";
import type { HeadRecord } from "./ports/head-record.ts";
import type { Peers } from "./ports/peers.ts";
import type { ReplicaStanding, ReplicaWatch } from "./ports/replica.ts";
import type { SigningKey } from "./ports/signing-key.ts";
import { type Store, StoreFailure } from "./ports/store.ts";
import type { Wakeup } from "./ports/wakeup.ts";

export interface Storage {
  readonly store: Store;
  readonly key: SigningKey;
  /** The public half of the key that the board had before this start gave it another. */
  readonly formerPk: string | undefined;
  readonly record: HeadRecord;
  /** Nothing can be written in the data directory, and the board was told not to. */
  readonly sealed: boolean;
  /** What the search index reads, and where it keeps itself. */
  readonly source: SourceModule;
  readonly indexDir: string;
  /** What other nodes write and say; undefined where there are none. */
  readonly others: (Wakeup & Peers) | undefined;
  /** How a replica is doing, where there is one. */
  readonly replica: (() => ReplicaStanding) | undefined;
  close(): Promise<void>;
}

/** What the two stores do each in its own way. */
interface Opened extends Pick<Storage, "store" | "source" | "others" | "close"> {
  /** Where the board is, in words. */
  readonly place: string;
  /** The public half of the board's key; undefined where the database does not tell. */
  knownPk(): Promise<string | undefined>;
  recordPk(pk: string, before: string | undefined): Promise<void>;
  /** The last head that this key signed. */
  headOf(pk: string): HeadRecord;
  /** Once the database has the board's key; the replica may not have heard of a new one yet. */
  beginReplica(formerPk: string | undefined): Promise<Storage["replica"]>;
}

/** `onFatal` hears of a failure after which only a restart is safe. */
export async function openStorage(config: Config, onFatal: (error: Error) => void, watchReplica: ReplicaWatch): Promise<Storage> {
  await using parts = new AsyncDisposableStack();
  const unwritable = barredFromWriting(config.data);
  // Whatever an earlier board left there: a database whose log is still beside it could be opened all the same, and take nothing.
  if (unwritable !== undefined && !config.readOnly)
    throw new Error(`${unwritable} A board that only answers questions starts there too: serve --read-only on`);
  const sealed = unwritable !== undefined;
  const indexDir = sealed ? mkdtempSync(join(tmpdir(), "blackboard-index-")) : join(config.data, "index");
  parts.defer(() => (sealed ? rmSync(indexDir, { recursive: true, force: true }) : undefined));
  const opened =
    config.databaseUrl === undefined
      ? await onSqlite(config, sealed, onFatal)
      : await onPostgres(config, sealed, config.databaseUrl, watchReplica);
  parts.defer(() => opened.close());
  const { store, source, others } = opened;
  const known = await opened.knownPk();
  const key = await ownKey(config, opened, known);
  const formerPk = known === undefined || known === key.pk ? undefined : known;
  if (sealed && formerPk !== undefined) throw new Error(`The new key cannot be recorded. ${unwritable}`);
  // What the old key signed is kept before the new one takes its place; a crash between the two is a start that has not happened.
  const signed = formerPk === undefined ? undefined : await opened.headOf(formerPk).read();
  if (signed !== undefined) await keepFormerHead(config.data, signed);
  if (!sealed) await opened.recordPk(key.pk, known);
  const record = sealed ? unsigned(opened.headOf(key.pk)) : opened.headOf(key.pk);
  const last = await record.read();
  if (last !== undefined) requireSound(last, config.data);
  const replica = await opened.beginReplica(formerPk);
  const all = parts.move();
  return { store, key, formerPk, record, sealed, source, indexDir, others, replica, close: () => all.disposeAsync() };
}

const MEND =
  "Restore its board.key from a backup that holds the key, or name the file with --key-file. To start with another key, and so as another board to all its readers: --new-key on";

/** The key that the database belongs to. One is made for a new board only, or where the operator wants another one. */
async function ownKey({ keyFile, newKey }: Config, { place, store }: Opened, known: string | undefined): Promise<SigningKey> {
  const isNew = known === undefined && (await store.head()).seq === 0;
  if (!isNew && !newKey) return requireBoardKey(keyFile, place, known, MEND);
  return readBoardKey(keyFile) ?? makeBoardKey(keyFile);
}

/** A head is on disk before anyone sees it: where nothing can be written, none is signed. */
const unsigned = (record: HeadRecord): HeadRecord => ({
  read: () => record.read(),
  async write() {
    throw new Refusal("read_only");
  },
});

const sourceModule = (name: string, options: unknown): SourceModule => ({ url: workerUrl(name, import.meta.url).href, options });

async function onSqlite({ data }: Config, sealed: boolean, onFatal: (error: Error) => void): Promise<Opened> {
  const path = databasePath(data);
  if (sealed && !existsSync(path)) throw new Error(`There is no board in ${data}, and none can be made there. ${barredFromWriting(data)}`);
  requireWhole(path);
  const store = sealed ? openSealedStore(data) : await openSqliteStore(data, onFatal);
  return {
    store,
    source: sourceModule("adapters/sqlite/search-source", { path }),
    others: undefined,
    place: data,
    knownPk: () => knownBoardKey(path),
    recordPk: async (pk) => recordBoardKey(path, pk),
    headOf: (pk) => headFileIn(data, pk),
    beginReplica: async () => undefined,
    close: () => store.close(),
  };
}

async function onPostgres({ data, databaseReadUrl, newKey }: Config, sealed: boolean, url: string, watch: ReplicaWatch): Promise<Opened> {
  // Each node has a directory of its own, for its search index and the last head it saw signed.
  const lock = sealed ? undefined : lockDataDir(data);
  try {
    const nodes = newKey ? await nodesAt(url) : 0;
    const store = await openPostgresStore(url, databaseReadUrl === undefined ? undefined : { url: databaseReadUrl, watch });
    return {
      store,
      source: sourceModule("adapters/postgres/search-source", { url }),
      others: store,
      place: "the database",
      knownPk: () => knownToPostgres(store.client),
      async recordPk(pk, before) {
        if (nodes > 0 && before !== undefined && before !== pk)
          throw new Error("Other boards run on this database, with the key that it has. Stop them before you give it a new one.");
        await recordInPostgres(store.client, pk, before);
      },
      headOf: (pk) => postgresHeadRecord(store.client, headFileIn(data, pk), pk),
      beginReplica: (formerPk) => store.beginReplica(formerPk),
      async close() {
        await store.close();
        lock?.close();
      },
    };
  } catch (error) {
    lock?.close();
    const failure = storeFailure(error);
    throw failure instanceof StoreFailure ? unreachable(failure.message) : failure;
  }
}

/** An empty database in the place of one that is gone would discard what only the log beside it still holds, and sign a second history. */
function requireWhole(path: string): void {
  if (existsSync(path)) return;
  const [data, log] = [dirname(path), `${path}-wal`];
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(
      `The database ${path} is gone, and ${log} beside it still holds its newest entries: a start would make an empty board and discard them. ${putBack(data)}`,
    );
  const traces = tracesIn(data);
  if (traces.length === 0) return;
  // A node of a board in PostgreSQL may run here: then that is what is wrong.
  lockDataDir(data).close();
  const [are, those] = traces.length === 1 ? ["is", "that"] : ["are", "those"];
  throw new Error(
    `The database ${path} is gone, but ${data} has held a board: ${traces.join(", ")} ${are} still there. A start would make an empty board. ` +
      `${putBack(data)} If the board is in PostgreSQL, give its --database-url. To begin an empty board here all the same, move ${those} away first.`,
  );
}

const putBack = (data: string): string =>
  `Put the database back where it was, or restore a backup (blackboard operate restore-backup <dir of the backup> --data ${data}); for a new board choose another --data directory.`;
