// A board in its data directory, with SQLite.
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { knownBoardKey, recordBoardKey, recordTlogName } from "../adapters/sqlite/board-identity.ts";
import { fileFault } from "../adapters/sqlite/faults.ts";
import { SqliteHead } from "../adapters/sqlite/head.ts";
import { SqliteRows } from "../adapters/sqlite/statement-runner.ts";
import { SqlReads } from "../adapters/sql/reads.ts";
import { databasePath, lockDataDir, openDatabase, tracesIn } from "../adapters/sqlite/open.ts";
import { snapshot, soundHead } from "../adapters/sqlite/snapshot.ts";
import { openSealedStore, openSqliteStore } from "../adapters/sqlite/store.ts";
import { barred, barredFromWriting } from "../adapters/system/file-access-errors.ts";
import { headFileIn } from "../adapters/system/head-file.ts";
import { keysIn } from "./key-ring.ts";
import { actsIn, type Opened, type Place, sourceModule } from "./storage-backend.ts";

export function inDirectory(data: string): Place {
  const path = databasePath(data);
  const source = sourceModule("sqlite", { path });
  return {
    words: data,
    engine: "sqlite",
    isShared: false,
    isThere: () => existsSync(path),
    async open({ sealed, onFatal }): Promise<Opened> {
      if (sealed && !existsSync(path))
        throw new Error(`There is no board in ${data}, and none can be made there. ${barredFromWriting(data)}`);
      requireWhole(path);
      const store = sealed ? openSealedStore(data) : await openSqliteStore(data, onFatal);
      return {
        store,
        source,
        peers: undefined,
        recordPk: async (pk) => recordBoardKey(path, pk),
        recordTlogName: async (name) => recordTlogName(path, name),
        headOf: (pk) => headFileIn(data, pk),
        beginReplica: async () => undefined,
        close: () => store.close(),
      };
    },
    lock: async () => lockDataDir(data),
    async openBeside() {
      requireBoardIn(data);
      const record = headFileIn(data, knownBoardKey(path));
      // Enough for a command that only reads.
      const isSealed = barredFromWriting(data) !== undefined;
      const store = isSealed ? openSealedStore(data) : await openSqliteStore(data, () => {}, "operator");
      return {
        store,
        record,
        recordTlogName: async (name) => recordTlogName(path, name),
        forgetSigned: async () => {},
        source,
        explain: (error) => fileFault(error, path),
      };
    },
    async identity() {
      requireBoardIn(data);
      using db = openDatabase(path, "read");
      const keys = await keysIn(new SqlReads(new SqliteRows(db)));
      return { ...keys, signed: await headFileIn(data, keys.pk).read() };
    },
    async copyTo(to) {
      requireBoardIn(data);
      soundHead(path);
      await snapshot(path, to);
    },
    async acts(messages) {
      using db = openDatabase(path, "read");
      return await actsIn(new SqliteRows(db), new SqliteHead(db).read().seq, messages);
    },
  };
}

/** For commands: they do not create a board if there is none. */
function requireBoardIn(data: string): void {
  const path = databasePath(data);
  const unreadable = barred(path, "read");
  if (unreadable !== undefined) throw new Error(unreadable);
  if (existsSync(path)) return;
  if (tracesIn(data).length > 0)
    throw new Error(
      `The database ${path} is gone, but ${data} has held a board. If the board is in PostgreSQL, give its --database-url. ` +
        `If not, put the database back where it was, or stop the board and restore a backup (blackboard operate restore-backup).`,
    );
  throw new Error(`There is no board in ${data}. Give its directory with --data.`);
}

/** An empty database in place of a missing one would discard entries that only the write-ahead log still has, and sign a second history. */
function requireWhole(path: string): void {
  if (existsSync(path)) return;
  const [data, log] = [dirname(path), `${path}-wal`];
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(
      `The database ${path} is gone, and ${log} beside it still has its newest entries: starting now would make an empty board and discard them. ${putBack(data)}`,
    );
  const traces = tracesIn(data);
  if (traces.length === 0) return;
  // If a node of a board in PostgreSQL runs in this directory, the lock fails and says so.
  lockDataDir(data).close();
  const [are, those] = traces.length === 1 ? ["is", "that"] : ["are", "those"];
  throw new Error(
    `The database ${path} is gone, but ${data} has held a board: ${traces.join(", ")} ${are} still there. Starting now would make an empty board. ` +
      `${putBack(data)} If the board is in PostgreSQL, give its --database-url. To start an empty board here anyway, move ${those} away first.`,
  );
}

const putBack = (data: string): string =>
  `Put the database back where it was, or restore a backup (blackboard operate restore-backup <dir of the backup> --data ${data}); for a new board choose another --data directory.`;
