// Brings the database's schema up to date, however many nodes start at once.
import { GENESIS } from "../../core/log/chain.ts";
import { foldLabel } from "../../core/protocol/labels.ts";
import { LABEL_COUNTS } from "../sql/second-edition.ts";
import type { Client } from "./client.ts";
import { ADDED, ADDED_SWITCH, INDEXES, SCHEMA, SCHEMA_VERSION, TO_SECOND_EDITION } from "./schema.ts";
import { WRITE_FUNCTION, WRITE_FUNCTION_NAME } from "./write-function.ts";

/** Held while the schema is looked at and changed; the number is only a name. */
const MIGRATION_LOCK = 7_238_001;

const MISSING_INDEXES = Object.entries(INDEXES).map(
  // Not "if not exists", which waits for all who write before it looks.
  ([name, on]) => `IF to_regclass('${name}') IS NULL THEN CREATE INDEX ${name} ON ${on}; END IF;`,
);

/** Statements that fold the labels of a board of the first edition: the database does not fold as the board does. */
async function foldings(client: Client): Promise<string> {
  const [board] = await client.query<{ labels: string | null; barred: string | null }>(
    "SELECT to_regclass('labels')::text AS labels, to_regclass('barred')::text AS barred",
  );
  if (board?.labels == null || board.barred !== null) return "";
  const found = await client.query<{ label: string }>("SELECT DISTINCT label FROM labels WHERE label !~ '^[a-z0-9._:/+#-]+$'");
  // None of them holds a quote: letters, digits and a few marks is all there were.
  const changed = found.map(({ label }) => [`'${label}'`, `'${foldLabel(label)}'`] as const).filter(([from, to]) => from !== to);
  const fold = changed.map(
    ([
      from,
      to,
    ]) => `DELETE FROM labels a USING labels b WHERE a.label = ${from} AND b.label = ${to} AND a.field = b.field AND a.seq = b.seq;
      UPDATE labels SET label = ${to}, spelling = ${from} WHERE label = ${from};`,
  );
  return fold.join("\n") + LABEL_COUNTS;
}

export async function migrate(client: Client): Promise<void> {
  const folding = await foldings(client);
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
      IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('switches') AND attname = 'pow_at_once' AND NOT attisdropped) THEN
        ${ADDED_SWITCH}
      END IF;
      IF to_regclass('barred') IS NULL THEN
        ${TO_SECOND_EDITION}
        ${folding}
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
