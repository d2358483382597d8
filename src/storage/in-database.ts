// A board in a PostgreSQL database that several nodes may share. Each node has its own directory, for its search index and the last signed head that it knows.
import { unreachable } from "../adapters/postgres/address.ts";
import { recordBoardKey, recordTlogName } from "../adapters/postgres/board-identity.ts";
import { Client } from "../adapters/postgres/client.ts";
import { storeFailure } from "../adapters/postgres/failure.ts";
import { postgresHeadRecord } from "../adapters/postgres/head-record.ts";
import { postgresRows } from "../adapters/postgres/dialect.ts";
import { openPostgresStore } from "../adapters/postgres/store.ts";
import { nodesAt, readRowBatches } from "../adapters/postgres/transfer.ts";
import { lockDataDir } from "../adapters/sqlite/open.ts";
import { fillDatabase } from "../adapters/sqlite/transfer.ts";
import { headFileIn } from "../adapters/system/head-file.ts";
import type { Config } from "../config.ts";
import { StoreFailure } from "../ports/store.ts";
import { keysIn } from "./key-ring.ts";
import { type Acts, actsIn, type Beside, type Opened, type Place, sourceModule } from "./storage-backend.ts";

/** `data` is this node's own directory; the settings are for a node that opens it. */
export function inDatabase(
  url: string,
  data: string,
  { databaseReadUrl, newKey = false }: Partial<Pick<Config, "databaseReadUrl" | "newKey">> = {},
): Place {
  const recordOf = (client: Client, pk: string | undefined) => postgresHeadRecord(client, headFileIn(data, pk), pk);
  async function openBeside(): Promise<Beside> {
    const store = await openPostgresStore(url, undefined, "operator");
    return {
      store,
      record: recordOf(store.client, await store.knownPk()),
      recordTlogName: (name) => recordTlogName(store.client, name),
      forgetSigned: () => store.client.script("DELETE FROM signed_head"),
      source: undefined,
      explain: (error) => error,
    };
  }
  return {
    words: "the database",
    engine: "postgresql",
    isShared: true,
    isThere: () => true,
    async open({ sealed, replica }): Promise<Opened> {
      const lock = sealed ? undefined : lockDataDir(data);
      try {
        const nodes = newKey ? await nodesAt(url) : 0;
        const store = await openPostgresStore(url, databaseReadUrl === undefined ? undefined : { ...replica, url: databaseReadUrl });
        return {
          store,
          source: sourceModule("postgres", { url }),
          peers: store,
          async recordPk(pk, before) {
            if (nodes > 0 && before !== undefined && before !== pk)
              throw new Error("Other nodes run on this database, with its present key. Stop them before you start with a new one.");
            await recordBoardKey(store.client, pk, before);
          },
          recordTlogName: (name) => recordTlogName(store.client, name),
          headOf: (pk) => recordOf(store.client, pk),
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
    },
    async lock() {
      if ((await nodesAt(url)) > 0) throw new Error("Boards are running on that database. Stop them first.");
      return lockDataDir(data);
    },
    openBeside,
    async identity() {
      await using store = await openPostgresStore(url, undefined, "operator");
      const keys = await keysIn(store);
      return { ...keys, signed: await recordOf(store.client, keys.pk).read() };
    },
    copyTo: (path, pk) => readRowBatches(url, (batches) => fillDatabase(path, batches, pk)),
    acts: (messages) => actsAt(url, messages),
  };
}

async function actsAt(url: string, messages: readonly string[]): Promise<Acts> {
  await using client = new Client({ url, connections: 1, name: "blackboard restore" });
  const [board] = await client.query<{ seq: number }>("SELECT seq FROM board");
  return await actsIn(postgresRows(client), board?.seq ?? 0, messages);
}
