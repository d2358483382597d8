// Migrates the database's schema, one version at a time, however many nodes start at once.
import { requireWay, type SchemaHistory } from "../sql/schema.ts";
import type { Client } from "./client.ts";
import { HISTORY } from "./schema.ts";
import { WRITE_FUNCTION, WRITE_FUNCTION_NAME } from "./write-function.ts";

/** Advisory lock held while the schema is checked and changed; the number is arbitrary. */
const MIGRATION_LOCK = 7_238_001;

/** One script is one transaction: the lock ends with it, whatever happens, and it is done completely or not at all. */
const locked = (client: Client, body: string): Promise<void> =>
  client.script(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK}); DO $migrate$ BEGIN ${body} END $migrate$;`);

/** 0 if nothing was made yet. */
async function versionOf(client: Client): Promise<number> {
  const [made] = await client.query<{ table: string | null }>(`SELECT to_regclass('blackboard_schema')::text AS "table"`);
  if (made?.table == null) return 0;
  const [found] = await client.query<{ version: number }>("SELECT version FROM blackboard_schema");
  return found?.version ?? 0;
}

export async function bringUp(client: Client, history: SchemaHistory): Promise<void> {
  for (let found = await versionOf(client); found !== history.version; found = await versionOf(client)) {
    if (found > 0) requireWay(found, history);
    await locked(
      client,
      found === 0
        ? `IF to_regclass('blackboard_schema') IS NULL THEN
            ${history.schema}
            CREATE TABLE blackboard_schema (version integer NOT NULL);
            INSERT INTO blackboard_schema VALUES (${history.version});
          END IF;`
        : // After waiting for another node's step, there is nothing left to do.
          `IF (SELECT version FROM blackboard_schema) = ${found} THEN
            ${history.steps[found] ?? ""}
            UPDATE blackboard_schema SET version = ${found + 1};
          END IF;`,
    );
  }
}

export async function migrate(client: Client): Promise<void> {
  await bringUp(client, HISTORY);
  await locked(client, `IF to_regproc('${WRITE_FUNCTION_NAME}') IS NULL THEN ${WRITE_FUNCTION} END IF;`);
  await requireDurable(client);
}

export async function requireBoard(client: Client): Promise<void> {
  if ((await versionOf(client)) === 0) throw new Error("There is no board in this database. Give its address with --database-url.");
}

/** An acknowledged commit must be on disk: the session asked for that, and this checks that it got it. */
async function requireDurable(client: Client): Promise<void> {
  const [session] = await client.query<{ mode: string }>("SELECT current_setting('synchronous_commit') AS mode");
  if (session?.mode === "off" || session?.mode === "local")
    throw new Error(`PostgreSQL did not take synchronous_commit=on (got ${session.mode}).`);
}
