// What PostgreSQL does for reads that are written once for every database.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import type { SqlRows } from "../sql/dialect.ts";
import { SqlReads } from "../sql/reads.ts";
import { searchSource } from "../sql/search-source.ts";
import { Client } from "./client.ts";
import { postgresRows } from "./dialect.ts";

const MANY = 20_000;
const ROOT = String(MANY / 2).padStart(64, "0");

let data: string;
let client: Client;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "reads-"));
  client = new Client({ url: await databaseFor(data), connections: 2, name: "test" });
  // No statistics: plans must not hang on them.
  await client.script(`
    INSERT INTO messages SELECT json.* FROM generate_series(1, ${MANY}) AS n, LATERAL json_populate_record(NULL::messages, json_build_object(
      'seq', n, 'id', lpad(n::text, 64, '0'), 'author', 'ag_' || n, 'kind', CASE WHEN n % 2 = 0 THEN 'note' ELSE 'profile' END,
      'root', lpad((n - n % 5)::text, 64, '0'), 'received_at', n, 'expires_at', 1000000 + n, 'bits', 0, 'assisted', 0, 'has_data', 0, 'has_attachment', 0, 'risk', 0, 'copies', 0, 'spreading', 0,
      'status', 'open', 'verifies', 0, 'refutes', 0, 'replies', 0, 'answers', 0, 'answers_verified', 0, 'rejected', 0, 'resolved_by_author', 0, 'withdrawn', 0, 'changed', n)) AS json;
    INSERT INTO contents SELECT n, '{}', 's', 'n' FROM generate_series(1, ${MANY}) AS n;
    INSERT INTO log SELECT n, n, 'create', lpad(n::text, 64, '0'), NULL, 'd', 'h', 0 FROM generate_series(1, ${MANY}) AS n;
    INSERT INTO refs SELECT n, 0, 'reply', lpad((n - n % 5)::text, 64, '0') FROM generate_series(6, ${MANY}) AS n;
    INSERT INTO threads SELECT root, count(*), max(seq) FROM messages GROUP BY root;
    INSERT INTO agents SELECT 'ag_' || n, '', 0, n, 1 FROM generate_series(1, ${MANY}) AS n;
    INSERT INTO agent_tallies SELECT 'ag_' || n, f, 'l' || n % 5000, 1 FROM generate_series(1, ${MANY}) AS n, (VALUES ('offer'), ('need'), ('kind')) AS t (f);
    INSERT INTO agent_tallies SELECT 'ag_8', 'kind', 'x-' || n, 1 FROM generate_series(1, ${MANY}) AS n;
    INSERT INTO tallies SELECT f, 'l' || n, n % 100, 0 FROM generate_series(1, ${MANY}) AS n, (VALUES ('tag'), ('offer'), ('need')) AS t (f);
    INSERT INTO tallies SELECT f, 'l' || n || ',L' || n, n % 100, 0 FROM generate_series(1, ${MANY}) AS n, (VALUES ('tag_as'), ('offer_as'), ('need_as')) AS t (f)`);
});
afterAll(async () => {
  await client.end();
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
});

interface PlanNode {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that a plan looks at in its tables. */
function looked(node: PlanNode): number {
  const own = node["Node Type"].includes("Scan") ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"] : 0;
  return (node.Plans ?? []).reduce((sum, one) => sum + looked(one), own);
}

/** The same rows, and how many of the tables' were looked at for them. */
function counting(): SqlRows & { seen: number } {
  const rows = postgresRows(client);
  return {
    seen: 0,
    dialect: rows.dialect,
    async all(sql, values) {
      const [plan] = await client.ask<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        values.map(rows.dialect.value),
      );
      for (const { Plan } of plan?.["QUERY PLAN"] ?? []) this.seen += looked(Plan);
      return rows.all(sql, values);
    },
  };
}

const PAGE = { after: undefined, limit: 20 };
const NOW = 5;
const READS: Readonly<Record<string, (reads: SqlReads, rows: SqlRows) => unknown>> = {
  "an agent": (reads) => reads.agent("ag_7", NOW),
  "an agent with very many kinds": (reads) => reads.agent("ag_8", NOW),
  agents: (reads) => reads.agents({ ...PAGE, activeSince: 0, offers: [], needs: [], now: NOW }),
  "agents by what they offer and need": (reads) => reads.agents({ ...PAGE, activeSince: 0, offers: ["l5", "l6"], needs: ["l5"], now: NOW }),
  tags: (reads) => reads.tags({ ...PAGE, field: "tag", prefix: "" }),
  "tags with a rare start": (reads) => reads.tags({ ...PAGE, field: "tag", prefix: "l123" }),
  "a thread's extent": (reads) => reads.threadExtent(ROOT),
  "a thread": (reads) => reads.branches(ROOT, { after: 0, upTo: MANY, limit: 500, now: NOW }),
  "open work of a thread": (reads) => reads.openWork(ROOT, 5, NOW),
  "work in parts": (reads) => reads.divided([ROOT, "f".repeat(64)], NOW),
  "what changed since": (reads) => reads.changedSince(MANY / 2, 50),
  neighbours: (reads) => reads.neighbours({ of: [MANY / 2], except: [MANY / 2], rels: ["reply", "answers"], limit: 100, now: NOW }),
  "the log": (reads) => reads.entries(MANY / 2, 50),
  "the log with content": (reads) => reads.entries(MANY / 2, 50, NOW),
  "effects of messages": (reads) =>
    reads.statusEffects(
      ROOT,
      Array.from({ length: 40 }, (_, n) => 1 + n * 100),
    ),
  "ids by their start": (reads) => reads.idsByPrefix("0000", 5, NOW),
  "what the index follows": (_, rows) => searchSource(rows, () => {}).changes(MANY / 2, MANY / 2 + 50),
  "what the index is built of": (_, rows) => searchSource(rows, () => {}).messages(MANY / 2, MANY, 50),
};

test.each(Object.entries(READS))("%s: a few rows are looked at, not the whole board", async (_, read) => {
  const rows = counting();
  await read(new SqlReads(rows), rows);
  expect(rows.seen).toBeLessThan(1500);
});
