// Brings the database's schema up to date, however many nodes start at once.
import { GENESIS } from "../../core/log/chain.ts";
import type { Client } from "./client.ts";
import { ADDED, INDEXES, SCHEMA, SCHEMA_VERSION, TO_SECOND_EDITION } from "./schema.ts";
import { WRITE_FUNCTION, WRITE_FUNCTION_NAME } from "./write-function.ts";

/** Held while the schema is looked at and changed; the number is only a name. */
const MIGRATION_LOCK = 7_238_001;

const MISSING_INDEXES = Object.entries(INDEXES).map(
  // Not "if not exists", which waits for all who write before it looks.
  ([name, on]) => `IF to_regclass('${name}') IS NULL THEN CREATE INDEX ${name} ON ${on}; END IF;`,
);

export async function migrate(client: Client): Promise<void> {
  // One script is one transaction: the lock ends with it, whatever happens.
  await client.script(`
    SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
    DO $migrate$
    BEGIN
      IF to_regclass('blackboard_schema') IS NULL THEN
        ${SCHEMA}
        INSERT INTO board (one, version, seq, hash, at, next_due, pruned_at) VALUES (1, 0, 0, '${GENESIS}', 0, NULL, 0);
        CREATE TABLE blackboard_schema (version integer NOT NULL);
        INSERT INTO blackboard_schema VALUES (${SCHEMA_VERSION});
      END IF;
      IF to_regclass('withdrawals') IS NULL THEN ${ADDED} END IF;
      IF to_regclass('barred') IS NULL THEN
        ${TO_SECOND_EDITION}
        UPDATE blackboard_schema SET version = ${SCHEMA_VERSION};
      END IF;
      ${MISSING_INDEXES.join(" ")}
      IF to_regproc('${WRITE_FUNCTION_NAME}') IS NULL THEN ${WRITE_FUNCTION} END IF;
    END $migrate$;
  `);
  const [found] = await client.query<{ version: number }>("SELECT version FROM blackboard_schema");
  if (found?.version !== SCHEMA_VERSION)
    throw new Error(`The database has schema ${found?.version}; this program speaks ${SCHEMA_VERSION}. Use the matching version.`);
  await requireDurable(client);
}

export async function requireBoard(client: Client): Promise<void> {
  const [found] = await client.query<{ table: string | null }>(`SELECT to_regclass('blackboard_schema')::text AS "table"`);
  if (found?.table === null) throw new Error("There is no board in this database. Give its address with --database-url.");
}

/** What is acknowledged is on disk: the session asked for it, and must have got it. */
async function requireDurable(client: Client): Promise<void> {
  const [session] = await client.query<{ mode: string }>("SELECT current_setting('synchronous_commit') AS mode");
  if (session?.mode === "off" || session?.mode === "local")
    throw new Error(`PostgreSQL did not take synchronous_commit=on (got ${session.mode}).`);
}
