// What SQLite writes differently in statements that are the same for every database.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Dialect } from "../sql/dialect.ts";
import { threadOf } from "./thread-number.ts";

export const SQLITE_DIALECT: Dialect = {
  // A unary plus keeps the planner away from a column's index.
  opaque: (column) => `+${column}`,
  exists: (query) => `EXISTS (${query})`,
  value: (value) => value,
  list: (values) => JSON.stringify(values),
  among: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  each: (list, _type, alias) => `json_each(${list}) ${alias}`,
  lateral: (query, alias) => `json_each((SELECT json_group_array(value) FROM (${query}))) ${alias}`,
  json: (columns, query) => `(SELECT json_group_array(json_array(${columns.join(", ")})) FROM (${query}))`,
  spelt: "substr(label, 1, instr(label, ',') - 1)",
  thread: { ofMessage: "thread", key: "number", of: threadOf },
};

/** A limit that is a bare placeholder would have SQLite plan the statement again for each value: it looks at it to choose an index. */
export const prepared = (db: DatabaseSync, sql: string): StatementSync =>
  db.prepare(
    sql.replaceAll(/(LIMIT )?\$(\d+)/g, (_, limit: string | undefined, n: string) => (limit === undefined ? `?${n}` : `LIMIT +?${n}`)),
  );
