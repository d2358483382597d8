// The writer of a board alone, in this process, on the chosen store.
import { readFileSync } from "node:fs";
import { Client } from "../../src/adapters/postgres/client.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { PostgresWriter } from "../../src/adapters/postgres/writer.ts";
import { databasePath, openDatabase } from "../../src/adapters/sqlite/open.ts";
import { SqliteWriter } from "../../src/adapters/sqlite/writer.ts";
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import { postgresServer } from "../../test/support/postgres/server.ts";
import { familyMs } from "./cpu-time.ts";
import type { Scratch } from "./scratch.ts";

export interface MeasuredWriter extends AsyncDisposable {
  run(acts: readonly Act[]): Promise<void>;
  /** CPU milliseconds so far, of this process and of the database server. */
  cpuMs(): { readonly own: number; readonly server: number };
  /** Bytes written so far, by system calls or to the server's write-ahead log; 0 if the system does not tell. */
  written(): Promise<number>;
  /** Bytes that the database takes on disk. */
  stored(): Promise<number>;
}

const ownMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

export function sqliteWriter(scratch: Scratch): MeasuredWriter {
  const writer = new SqliteWriter(openDatabase(databasePath(scratch.path), "write"));
  return {
    run: async (acts) => void writer.run(acts, Date.now()),
    cpuMs: () => ({ own: ownMs(), server: 0 }),
    async written() {
      try {
        return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
      } catch {
        return 0;
      }
    },
    async stored() {
      // Includes pages that are still in the write-ahead log.
      const db = openDatabase(databasePath(scratch.path), "read");
      const row = db.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").get();
      db.close();
      return Number(row?.["bytes"]);
    },
    [Symbol.asyncDispose]: async () => writer.close(),
  };
}

export async function postgresWriter(scratch: Scratch): Promise<MeasuredWriter> {
  const server = await postgresServer({ durable: true, parent: scratch.parent });
  const client = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "bench" });
  await migrate(client);
  const writer = new PostgresWriter(server.databaseUrl("postgres"));
  return {
    run: async (acts) => void (await writer.run(acts, Date.now())),
    cpuMs: () => ({ own: ownMs(), server: familyMs(server.pid) }),
    async written() {
      const [row] = await client.query<{ bytes: string }>("SELECT (pg_current_wal_lsn() - '0/0')::text AS bytes");
      return Number(row?.bytes);
    },
    async stored() {
      const [row] = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database())::text AS bytes");
      return Number(row?.bytes);
    },
    async [Symbol.asyncDispose]() {
      await writer.end();
      await client.end();
      await server.remove();
    },
  };
}
