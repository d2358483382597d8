// The statements that create the tables in the dialect of each database, and the migration of an older database.
import type { Dialect } from "./dialect.ts";
import { principalOf } from "./key-rows.ts";
import type { Table } from "./tables.ts";

/** How a database spells its tables. */
export interface TableSpelling extends Pick<Dialect, "thread" | "spelt"> {
  readonly types: Readonly<Record<"number" | "small" | "name" | "text", string>>;
  /** Whether an index contains the key of its row anyway. */
  readonly indexesHaveKeys: boolean;
  /** What follows the columns; `numbered`: the key is one number. */
  readonly end: (table: Table, numbered: boolean) => string;
}

const TYPED = /^(\s*"?\w+"?) (number|small|name|text)\b/gm;

export function schemaSql(tables: Readonly<Record<string, Table>>, spelling: TableSpelling): string {
  const { types, thread, spelt, end, indexesHaveKeys } = spelling;
  const column = (_: string, name: string, type: keyof TableSpelling["types"]): string => `${name} ${types[type]}`;
  const made = Object.entries(tables).flatMap(([name, table]) => [
    `CREATE TABLE ${name} (${table.columns.replaceAll(TYPED, column)})${end(table, /(?:number|small) PRIMARY KEY/.test(table.columns))};`,
    ...Object.entries(table.indexes ?? {}).map(
      ([index, on]) =>
        `CREATE INDEX ${index} ON ${name} ${on
          .replaceAll(/\[(.*?)\]/g, indexesHaveKeys ? "" : "$1")
          .replace("{thread}", thread.ofMessage)
          .replace("{spelt}", spelt)};`,
    ),
  ]);
  return made.join("\n");
}

/** Of many inbox items about one message, those that are no longer kept. */
const excess = (counted: string, which: string): string =>
  `DELETE FROM inbox_changes WHERE (agent, seq, target) IN (SELECT agent, seq, target FROM (${counted}) AS counted WHERE ${which});`;
const statusesBy = (whose: string): string =>
  `SELECT agent, seq, target, row_number() OVER (PARTITION BY ${whose} ORDER BY seq DESC, agent DESC) AS nth
    FROM inbox_changes WHERE reason IN ('status', 'lease')`;
/** The agent that acknowledged a message, by the entry in the log, which is kept for longer than any message lives. */
const ACTOR = principalOf("(SELECT l.id FROM log l WHERE l.seq = inbox_changes.seq)");
/** Whether an acknowledgement says something else than the one before. */
const NEWS = `SELECT agent, seq, target, actor,
    CASE WHEN became = lag(became) OVER (PARTITION BY target, actor ORDER BY seq) THEN 0 ELSE 1 END AS news
  FROM (SELECT agent, seq, target, became, ${ACTOR} AS actor FROM inbox_changes WHERE reason = 'ack') AS acks`;
const NEWEST_NEWS = `SELECT agent, seq, target, news, row_number() OVER (PARTITION BY target, actor, news ORDER BY seq DESC) AS nth
  FROM (${NEWS}) AS compared`;

/** The first released version, for every store. Older, unreleased databases have lower numbers. */
const FIRST_VERSION = 11;
/** From each version to the next, in words that every store understands. */
const STEPS: Readonly<Record<number, string>> = {
  11: "CREATE INDEX messages_superseded ON messages (seq) WHERE superseded_by IS NOT NULL;",
  12: "INSERT INTO agent_tallies (agent, field, label, count) SELECT agent, 'live', '', sum(count) FROM agent_tallies WHERE field = 'kind' GROUP BY agent;",
  13: [
    excess(NEWEST_NEWS, "news = 0 OR nth > 1"),
    excess(statusesBy("target, agent"), "nth > 16"),
    excess(statusesBy("target"), "nth > 64"),
    "ALTER TABLE inbox_changes ADD COLUMN actor text;",
    `UPDATE inbox_changes SET actor = ${ACTOR} WHERE reason = 'ack';`,
  ].join("\n"),
};
export const SCHEMA_VERSION = FIRST_VERSION + Object.keys(STEPS).length;

export interface SchemaHistory {
  readonly version: number;
  /** Everything, for a new database. */
  readonly schema: string;
  /** From each released version to the next. */
  readonly steps: Readonly<Record<number, string>>;
}

export const historyOf = (schema: string): SchemaHistory => ({ version: SCHEMA_VERSION, schema, steps: STEPS });

/** Throws an explanation for the operator if no step leads from this version to the program's own. */
export function requireWay(found: number, { version, steps }: SchemaHistory): void {
  let reached = found;
  while (reached < version && steps[reached] !== undefined) reached++;
  if (reached === version) return;
  const of = `The database has schema ${found}; this program needs ${version}.`;
  if (found > version) throw new Error(`${of} A newer version of the program made it: use that version, or a newer one.`);
  if (found < FIRST_VERSION)
    throw new Error(
      `${of} A build from before the first release made it, and its data cannot be converted: keep using that build, or start a new board in another --data directory (for PostgreSQL: another database).`,
    );
  throw new Error(`${of} Start it once with each version of the program in between.`);
}
