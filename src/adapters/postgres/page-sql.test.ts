import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { and, atLeast, atMost, type Condition, flagIs, hasAll, hasAny, not, oneOf } from "../../core/query/condition.ts";
import { ORDERS, type Position, type Sort } from "../../core/query/order.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import type { ListQuery } from "../../ports/store.ts";
import { Client } from "./client.ts";
import { PostgresLister } from "./list.ts";
import { AccessPathChooser } from "./access-path.ts";
import { conditionsOf, isCurrent } from "../sql/shared-listing-parts.ts";
import { type LookedRow, messagePage, type PageSql, tombstonePage } from "./page-sql.ts";

const MESSAGES = 30_000;

let data: string;
let client: Client;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "page-sql-"));
  client = new Client({ url: await databaseFor(data), connections: 1, name: "test" });
  // Half of everything is a note with a common tag; what is rare is there a few times. No statistics: plans must not hang on them.
  await client.script(`
    INSERT INTO messages SELECT json.* FROM generate_series(1, ${MESSAGES}) AS n, LATERAL json_populate_record(NULL::messages, json_build_object(
      'seq', n, 'id', lpad(n::text, 64, '0'), 'author', 'ag_' || n % 40, 'kind', CASE WHEN n % 2 = 0 THEN 'note' ELSE 'task' END,
      'root', lpad((n - n % 5)::text, 64, '0'), 'received_at', n, 'expires_at', 1000000 + n, 'bits', n % 5, 'assisted', 0, 'has_data', 0, 'has_attachment', 0, 'risk', 0, 'copies', 0, 'spreading', 0,
      'status', CASE WHEN n % 1000 = 0 THEN 'claimed' ELSE 'open' END, 'verifies', CASE WHEN n % 3000 = 0 THEN 1 ELSE 0 END,
      'refutes', 0, 'replies', 0, 'answers', 0, 'answers_verified', 0, 'rejected', 0, 'resolved_by_author', 0, 'withdrawn', 0, 'changed', n)) AS json;
    INSERT INTO labels SELECT 'tag', 'common', n FROM generate_series(2, ${MESSAGES}, 2) AS n;
    INSERT INTO labels SELECT 'tag', 'rare', n FROM generate_series(1000, ${MESSAGES}, 1000) AS n;
    INSERT INTO tallies VALUES ('tag', 'common', ${MESSAGES / 2}, 0), ('tag', 'rare', ${MESSAGES / 1000}, 0), ('kind', 'note', ${MESSAGES / 2}, 0),
      ('kind', 'task', ${MESSAGES / 2}, 0), ('status', 'open', ${MESSAGES}, 0), ('status', 'claimed', ${MESSAGES / 1000}, 0);
    INSERT INTO agents SELECT 'ag_' || n, '', 0, 0, ${MESSAGES / 40} FROM generate_series(0, 39) AS n;
    INSERT INTO votes SELECT n, 'ag_' || n % 2, ${MESSAGES} + n, 'verifies' FROM generate_series(1, ${MESSAGES}) AS n;
    INSERT INTO votes SELECT n, 'ag_3', ${MESSAGES} + n, 'verifies' FROM generate_series(1, 20) AS n;
    INSERT INTO threads SELECT root, count(*), max(seq) FROM messages GROUP BY root;
    INSERT INTO gone SELECT json.* FROM generate_series(1, ${MESSAGES}) AS n, LATERAL json_populate_record(NULL::gone, json_build_object(
      'id', lpad(n::text, 64, '0'), 'seq', n, 'author', 'ag_' || n % 40, 'kind', 'note', 'root', lpad(n::text, 64, '0'), 'received_at', n,
      'reason', CASE WHEN n % 100 = 0 THEN 'retracted' ELSE 'expired' END, 'at', n, 'restored', 0, 'changed', n)) AS json;
    UPDATE board SET seq = ${MESSAGES}`);
});
afterAll(async () => {
  await client.end();
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
});

const listerOn = (short: Client, walks: Client) =>
  new PostgresLister(
    short,
    walks,
    () => ({}),
    () => 0,
  );

interface PlanNode {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

async function walked(sort: Exclude<Sort, "relevance">, filters: readonly Condition[]) {
  const order = ORDERS[sort];
  const condition = and(atLeast("expiresAt", 1000), flagIs("superseded", false), ...filters);
  const conditions = conditionsOf(condition);
  const path = await new AccessPathChooser(client).choose(conditions, isCurrent, order.key);
  const query = { condition, order, after: undefined, limit: 51, removed: false, only: undefined };
  return planned(messagePage(query, conditions, path));
}

/** What PostgreSQL does for a page: the indexes that it walks, and how many rows it looks at in all. */
async function planned({ sql, values }: PageSql, by = client) {
  const [row] = await by.ask<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
  const indexes = new Set<string>();
  let rows = 0;
  const visit = (node: PlanNode): void => {
    if (node["Index Name"] !== undefined) {
      indexes.add(node["Index Name"]);
      rows += (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
    }
    if (node["Node Type"] === "Seq Scan") indexes.add("the whole table");
    for (const one of node.Plans ?? []) visit(one);
  };
  for (const { Plan } of row?.["QUERY PLAN"] ?? []) visit(Plan);
  return { indexes: [...indexes], rows };
}

// oxfmt-ignore
const PAGES: readonly (readonly [string, Exclude<Sort, "relevance">, readonly Condition[], string])[] = [
  ["the newest", "new", [], "messages_pkey"],
  ["the oldest", "old", [], "messages_pkey"],
  ["by activity", "activity", [], "threads_activity"],
  ["by work", "pow", [], "messages_bits"],
  ["by votes", "verified", [], "messages_verifies"],
  ["what ends next", "expiring", [], "messages_expires"],
  ["what changed first", "changed", [], "messages_changed"],
  ["that an agent holds", "new", [hasAny("claimedBy", ["ag_1"])], "messages_claimed"],
  ["of an author", "new", [oneOf("author", ["ag_7"])], "messages_author"],
  ["of two authors", "old", [oneOf("author", ["ag_7", "ag_8"])], "messages_author"],
  ["of a kind", "new", [oneOf("kind", ["note"])], "messages_kind"],
  ["of two kinds", "new", [oneOf("kind", ["note", "task"])], "messages_kind"],
  ["in a status", "new", [oneOf("status", ["claimed"])], "messages_status"],
  ["with a common tag", "new", [hasAll("tags", ["common"])], "labels_pkey"],
  ["with any of two tags", "old", [hasAny("tags", ["common", "rare"])], "labels_pkey"],
  ["without a tag", "new", [not(hasAny("tags", ["common"]))], "messages_pkey"],
  ["with a rare tag, by work", "pow", [hasAll("tags", ["rare"])], "labels_pkey"],
  ["with a rare tag, by activity", "activity", [hasAll("tags", ["rare"])], "labels_pkey"],
  ["with two tags", "new", [hasAll("tags", ["common", "rare"])], "labels_pkey"],
  ["of a common kind in a rare status", "new", [oneOf("kind", ["note"]), oneOf("status", ["claimed"])], "messages_status"],
  ["with many votes", "new", [atLeast("verifies", 1)], "messages_verifies"],
  ["that nothing matches", "new", [atLeast("bits", 30)], "messages_bits"],
  ["that ends soon", "new", [atMost("expiresAt", 1_000_010)], "messages_expires"],
  ["of a thread", "old", [oneOf("root", [String(MESSAGES / 2).padStart(64, "0")])], "messages_thread"],
  ["that an agent stands by", "new", [hasAny("verifiedBy", ["ag_1"])], "votes_agent"],
  ["that any of two agents stands by", "old", [hasAny("verifiedBy", ["ag_1", "ag_3"])], "votes_agent"],
  ["that an agent of few votes stands by, by work", "pow", [hasAny("verifiedBy", ["ag_3"])], "votes_agent"],
  ["that nobody stands by", "new", [hasAny("verifiedBy", ["ag_4"])], "votes_agent"],
  ["of authors older than all", "new", [atMost("authorSince", -1)], "agents_first_seen"],
  ["of the last ones, by work", "pow", [atLeast("seq", MESSAGES - 100)], "messages_pkey"],
];

test.each(PAGES)("a page %s (%s) is read from its own index and does not look at the whole board", async (_, sort, filters, index) => {
  const { indexes, rows } = await walked(sort, filters);
  expect(indexes).toContain(index);
  expect(indexes).not.toContain("the whole table");
  // A page has 51 rows, each looked at in a few indexes; two common halves of the board are 15,000 each.
  expect(rows).toBeLessThan(1000);
});

test.each(["new", "old"] as const)(
  "tombstones (%s) are read from an index of those that listings show, however many have expired",
  async (sort) => {
    const query = { condition: and(), order: ORDERS[sort], after: undefined, limit: 51, removed: true, only: undefined };
    const { indexes, rows } = await planned(tombstonePage(query, [flagIs("superseded", false)]));
    expect(indexes).toEqual(["gone_shown"]);
    expect(rows).toBeLessThan(100);
  },
);

// oxfmt-ignore
const WALKS: readonly (readonly [string, Exclude<Sort, "relevance">, readonly Condition[]])[] = [
  ["the newest without a tag", "new", [not(hasAny("tags", ["rare"]))]],
  ["the oldest without a common tag", "old", [not(hasAny("tags", ["common"]))]],
  ["of a common kind, without a tag", "new", [oneOf("kind", ["note"]), not(hasAny("tags", ["rare"]))]],
  ["with any of two tags, of a kind", "old", [hasAny("tags", ["common", "rare"]), oneOf("kind", ["note", "task"]), flagIs("assisted", false)]],
  ["by activity, with a common tag", "activity", [hasAll("tags", ["common"])]],
  ["by work, of a common kind", "pow", [oneOf("kind", ["task"])]],
  ["what ends next, without a tag", "expiring", [not(hasAny("tags", ["common"]))]],
  ["that nothing matches", "new", [flagIs("assisted", true), not(hasAny("tags", ["rare"]))]],
];

test("a large thread is walked in portions too, each of which looks at no more than its rows", async () => {
  await using thread = new Client({ url: await databaseFor(data), connections: 1, name: "test thread" });
  const root = String(MESSAGES).padStart(64, "0");
  await thread.script(`BEGIN; UPDATE messages SET root = '${root}' WHERE seq > ${MESSAGES / 2};
    DELETE FROM threads; INSERT INTO threads SELECT root, count(*), max(seq) FROM messages GROUP BY root`);
  const order = ORDERS.activity;
  const conditions = conditionsOf(and(atLeast("expiresAt", 1000), hasAll("tags", ["rare"])));
  const found: number[] = [];
  const portion = 1024;
  let after: Position | undefined;
  for (;;) {
    const page = messagePage({ condition: and(), order, after, limit: 51 }, conditions, undefined, portion);
    expect((await planned(page, thread)).rows).toBeLessThan(3 * portion);
    const rows = await thread.ask<LookedRow>(page.sql, page.values);
    found.push(...rows.filter(({ fits }) => fits === 1).map(({ seq }) => seq));
    const last = rows.at(-1);
    if (last?.n !== portion) break;
    after = { key: last.position, seq: last.seq };
  }
  expect(found).toHaveLength(MESSAGES / 1000);
  expect(new Set(found).size).toBe(found.length);
  await thread.script("ROLLBACK");
});

test("a page of a thread with many messages reads no more of them than it shows", async () => {
  await using thread = new Client({ url: await databaseFor(data), connections: 1, name: "test thread" });
  await thread.script(`BEGIN; UPDATE messages SET root = '${String(MESSAGES).padStart(64, "0")}' WHERE seq > ${MESSAGES / 2};
    DELETE FROM threads; INSERT INTO threads SELECT root, count(*), max(seq) FROM messages GROUP BY root`);
  const conditions = conditionsOf(and(atLeast("expiresAt", 1000), flagIs("superseded", false)));
  const query = { condition: and(), order: ORDERS.activity, after: undefined, limit: 51 };
  const first = messagePage(query, conditions, undefined);
  expect((await planned(first, thread)).rows).toBeLessThan(1000);
  const last = (await thread.ask<LookedRow>(first.sql, first.values)).at(-1)!;
  const next = messagePage({ ...query, after: { key: last.position, seq: last.seq } }, conditions, undefined);
  expect((await planned(next, thread)).rows).toBeLessThan(1000);
  expect((await thread.ask<LookedRow>(next.sql, next.values)).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 51 }, (_, i) => last.seq - 1 - i),
  );
  await thread.script("ROLLBACK");
});

test.each(["new", "old", "activity", "changed"] as const)(
  "tombstones (%s) that a filter chooses are walked in short statements",
  async (sort) => {
    await using walks = new Client({ url: await databaseFor(data), connections: 1, each: 1, long: true, name: "test walks" });
    const lister = listerOn(client, walks);
    let statements = 0;
    const paying = <Found>(work: () => Promise<Found>) => atTheCostOf({ lane: "one", spend: () => void statements++ }, work);
    const condition = and(
      oneOf("author", ["ag_0"]),
      flagIs("addressed", false),
      oneOf("kind", ["note"]),
      atLeast("bits", 0),
      flagIs("isRoot", true),
    );
    const all = await paying(() => lister.list({ condition, order: ORDERS[sort], after: undefined, limit: 20_000, removed: true }));
    const places = all.flatMap((one) => ("tombstone" in one ? [one.position] : []));
    expect(places).toHaveLength(MESSAGES / 200);
    expect(statements).toBeGreaterThan(3);
    const [first, , third] = places;
    const after = await lister.list({ condition, order: ORDERS[sort], after: first, limit: 20_000, removed: true });
    expect(after.flatMap((one) => ("tombstone" in one ? [one.position] : []))[1]).toEqual(third);
  },
);

test.each(["new", "activity"] as const)("a listing (%s) is walked in portions where many messages are superseded", async (sort) => {
  await using board = new Client({ url: await databaseFor(data), connections: 1, each: 1, long: true, name: "test superseded" });
  const newest = MESSAGES / 10;
  await board.script(`BEGIN; UPDATE messages SET superseded_by = id WHERE seq > ${newest}; DELETE FROM tallies WHERE field = 'tag'`);
  const lister = listerOn(board, board);
  const current = and(atLeast("expiresAt", 1000), flagIs("superseded", false));
  for (const condition of [current, and(current, hasAll("tags", ["common"]))]) {
    let statements = 0;
    const paying = <Found>(work: () => Promise<Found>) => atTheCostOf({ lane: "one", spend: () => void statements++ }, work);
    const found = await paying(() => lister.seqs({ condition, order: ORDERS[sort], after: undefined, limit: 51 }));
    expect(found).toHaveLength(51);
    expect(Math.max(...found)).toBeGreaterThan(newest - 100);
    expect(Math.max(...found)).toBeLessThanOrEqual(newest);
    expect(statements).toBeGreaterThan(2);
  }
  await board.script("ROLLBACK");
});

test.each(WALKS)(
  "a long listing (%s) finds in short statements what one long statement finds, and pays for each",
  async (_, sort, filters) => {
    await using walks = new Client({ url: await databaseFor(data), connections: 1, each: 1, long: true, name: "test walks" });
    const lister = listerOn(client, walks);
    const condition = and(atLeast("expiresAt", 1000), flagIs("superseded", false), ...filters);
    const order = ORDERS[sort];
    const inOne = async (query: ListQuery) => {
      const path = await new AccessPathChooser(client).choose(conditionsOf(condition), isCurrent, order.key);
      const { sql, values } = messagePage(query, conditionsOf(condition), path);
      return client.ask<{ seq: number; position: number }>(sql, values);
    };
    let statements = 0;
    const paying = <Found>(work: () => Promise<Found>) => atTheCostOf({ lane: "one", spend: () => void statements++ }, work);
    const seqsOf = (rows: readonly { readonly seq: number }[]) => rows.map(({ seq }) => seq);
    const first = { condition, order, limit: 51 };
    const page = await inOne(first);
    expect(await paying(() => lister.seqs(first))).toEqual(seqsOf(page));
    const last = page.at(-1);
    if (last !== undefined) {
      const next = { ...first, after: { key: last.position, seq: last.seq } };
      expect(await paying(() => lister.seqs(next))).toEqual(seqsOf(await inOne(next)));
    }
    const all = { ...first, limit: MESSAGES };
    expect(await paying(() => lister.seqs(all))).toEqual(seqsOf(await inOne(all)));
    statements = 0;
    const most = 20_000;
    expect(await paying(() => lister.count({ ...first, after: undefined, limit: most }))).toBe(
      (await inOne({ ...first, limit: most })).length,
    );
    expect(statements).toBeGreaterThan(0);
  },
);
