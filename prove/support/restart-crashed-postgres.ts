// PostgreSQL after a crash: it recovers by itself, or it is started again as an operator's supervisor would do.
import { Client } from "../../src/adapters/postgres/client.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";

/** Resolves when it answers. If its main process has ended, it is started again as soon as the remaining processes have ended. */
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

/** Whether its main process is running. */
export function runs(server: PostgresServer): boolean {
  try {
    return process.kill(server.pid, 0);
  } catch {
    return false;
  }
}
