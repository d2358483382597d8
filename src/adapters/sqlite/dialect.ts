// SQLite's dialect for the shared statements.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type SeqLookup, SORTABLE } from "../sql/lookup-table-spec.ts";

export const SQLITE_DIALECT: Dialect = {
  // A unary plus keeps the planner away from a column's index.
  opaque: (column) => `+${column}`,
  byIndex: (rows) => rows,
  exists: (query) => `EXISTS (${query})`,
  value: (value) => value,
  list: (values) => JSON.stringify(values),
  among: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  each: (list, _type, alias) => `json_each(${list}) ${alias}`,
  lateral: (query, alias) => `json_each((SELECT json_group_array(value) FROM (${query}))) ${alias}`,
  json: (columns, query) => `(SELECT json_group_array(json_array(${columns.join(", ")})) FROM (${query}))`,
  voted: votedByMessages(),
  spelt: "substr(label, 1, instr(label, ',') - 1)",
  thread: { ofMessage: "thread", key: "number", of: threadOf },
};

/**
 * The number of the thread with this root, as an expression; null if it has none. A thread has the seq of its first message here as its
 * number, so that rows that change together share pages.
 */
export function threadOf(root: string): string {
  const own = (table: string) => `(SELECT r.thread FROM ${table} r WHERE r.id = ${root} AND r.root = ${root})`;
  return `coalesce((SELECT s.thread FROM strays s WHERE s.root = ${root}), ${own("messages")}, ${own("gone")})`;
}

/**
 * Finds votes through the messages of the agent: every vote is a message, and an index of votes by agent would be one more page to write
 * for each vote.
 */
function votedByMessages(): SeqLookup {
  const from = "messages a CROSS JOIN refs r";
  const where = "r.seq = a.seq AND r.rel = 'verifies'";
  return {
    from: `${from} CROSS JOIN messages t`,
    column: "a.author",
    seq: "t.seq",
    where: `${where} AND t.id = r.target`,
    orderedBy: [],
    repeats: "always",
    nearby: true,
    // If the agent has too many messages in all, its votes are not counted; nor are those of several agents.
    count: ([agent, ...others]) =>
      others.length > 0
        ? `(SELECT sum(messages) * ${LIMITS.refs} FROM agents WHERE id IN (${[agent, ...others].join(", ")}))`
        : `(SELECT CASE WHEN messages > ${SORTABLE} THEN messages ELSE (
        SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE a.author = ${agent} AND ${where} LIMIT ${SORTABLE + 1})) END
      FROM agents WHERE id = ${agent})`,
  };
}

const PLACEHOLDER = /(LIMIT )?\$(\d+)/g;

/** SQLite's placeholders; those without a number are bound faster, if each value is used once and in order. */
export function prepared(db: DatabaseSync, sql: string): StatementSync {
  const inTurn = [...sql.matchAll(PLACEHOLDER)].every(([, , n], i) => n === String(i + 1));
  // If a limit is a bare placeholder, SQLite plans the statement again for each value.
  return db.prepare(
    sql.replaceAll(PLACEHOLDER, (_, limit: string | undefined, n: string) => `${limit === undefined ? "" : "LIMIT +"}?${inTurn ? "" : n}`),
  );
}
