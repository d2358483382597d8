// Runs once per run: starts a PostgreSQL server with an empty board, from which the databases of all test boards are copied.
import { Client } from "../../../src/adapters/postgres/client.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { TEMPLATE } from "./database.ts";
import { type PostgresServer, postgresServer } from "./server.ts";

let started: PostgresServer | undefined;

export async function setup(): Promise<void> {
  const server = (started = await postgresServer());
  process.env["BOARD_TEST_POSTGRES"] = server.home;
  await makeTemplate(server);
}

export async function makeTemplate(server: PostgresServer): Promise<void> {
  const admin = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "test" });
  await admin.script(`CREATE DATABASE ${TEMPLATE}`);
  await admin.end();
  const template = new Client({ url: server.databaseUrl(TEMPLATE), connections: 1, name: "test" });
  await migrate(template);
  await template.end();
}

export async function teardown(): Promise<void> {
  await started?.remove();
}
