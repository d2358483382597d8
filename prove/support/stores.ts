// The store of the boards of a part: files of their own, or one PostgreSQL that syncs as in production.
import { postgresServer, type PostgresServer } from "../../test/support/postgres/server.ts";
import { makeTemplate } from "../../test/support/postgres/setup.ts";
import type { StoreName } from "../part.ts";

let server: PostgresServer | undefined;

/** From now on, boards that test/support starts use this store. */
export async function keepBoardsIn(store: StoreName): Promise<void> {
  process.env["BOARD_TEST_STORE"] = store;
  if (store === "sqlite" || server !== undefined) return;
  server = await postgresServer({ durable: true });
  await makeTemplate(server);
  process.env["BOARD_TEST_POSTGRES"] = server.home;
}

/** The database server of those boards. */
export function sharedServer(): PostgresServer {
  if (server === undefined) throw new Error("No part asked for PostgreSQL.");
  return server;
}

export async function closeStores(): Promise<void> {
  await server?.remove();
}
