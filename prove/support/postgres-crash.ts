// PostgreSQL after a crash: back by itself, or started once more as an operator's supervisor would.
import { Client } from "../../src/adapters/postgres/client.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";

/** Resolves when it answers; a first process that is gone is replaced as soon as its orphans have ended. */
export async function revive(server: PostgresServer): Promise<void> {
  const client = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "proof" });
  await eventually("PostgreSQL once more", async () => {
    if (!runs(server)) await server.start().catch(() => {});
    return client.query("SELECT 1").then(
      () => true,
      () => undefined,
    );
  });
  await client.end();
}

/** Whether its first process is there. */
export function runs(server: PostgresServer): boolean {
  try {
    return process.kill(server.pid, 0);
  } catch {
    return false;
  }
}
