// PostgreSQL's dialect for the shared statements, and its rows.
import type { Dialect, SqlRows } from "../sql/dialect.ts";
import type { Client } from "./client.ts";
import { listLiteral, storable } from "./array-literals.ts";

const TYPES = { text: "text", number: "bigint" } as const;

export const POSTGRES_DIALECT: Dialect = {
  opaque: (column, type) => (type === "text" ? `(${column} || '')` : `(${column} + 0)`),
  // Requesting the order of an index makes the planner use that index.
  byIndex: (rows, orderedBy) => `${rows} ORDER BY ${orderedBy.join(", ")}`,
  // The planner would turn EXISTS into a join or a hash table, either of them larger than a page is worth.
  exists: (query) => `(${query} LIMIT 1) IS NOT NULL`,
  value: (value) => (typeof value === "string" ? storable(value) : value),
  list: listLiteral,
  among: (column, list, type) => `${column} = ANY (${list}::${TYPES[type]}[])`,
  each: (list, type, alias) => `unnest(${list}::${TYPES[type]}[]) AS ${alias} (value)`,
  lateral: (query, alias) => `LATERAL (${query}) ${alias}`,
  json: (columns, query) => `(SELECT json_agg(json_build_array(${columns.join(", ")}))::text FROM (${query}) listed)`,
  voted: {
    from: "votes",
    column: "agent",
    seq: "target",
    where: "rel = 'verifies'",
    orderedBy: ["target"],
    repeats: "always",
    nearby: true,
  },
  spelt: "split_part(label, ',', 1)",
  thread: { ofMessage: "root", key: "root", of: (root) => root },
};

export const postgresRows = (client: Pick<Client, "query">): SqlRows => ({
  dialect: POSTGRES_DIALECT,
  all: (sql, values) => client.query(sql, values.map(POSTGRES_DIALECT.value)),
});
