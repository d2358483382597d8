// A node with a read replica: lists come from it while it keeps up, and no reader goes back in time because of it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { readConfig } from "../../src/config.ts";
import { type Running, start } from "../../src/start.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { postTo } from "../support/nodes.ts";
import { type PostgresServer, postgresServer, standbyOf } from "../support/postgres/server.ts";
import { emptyDirectory } from "../support/process.ts";

let primary: PostgresServer;
let standby: PostgresServer;
let operator: Client;
let node: Running;
/** Until a test says otherwise, a replica may be as old or as slow as it likes. */
const replicaLimits = { staleMs: HANG_MS, lookWithinMs: HANG_MS };

beforeAll(async () => {
  primary = await postgresServer();
  standby = await standbyOf(primary);
  operator = new Client({ url: standby.databaseUrl("postgres"), connections: 1, name: "test" });
  const databases = ["--database-url", primary.databaseUrl("postgres"), "--database-read-url", standby.databaseUrl("postgres")];
  const flags = ["--port", "0", "--smtp-port", "0", "--data", emptyDirectory(), "--pow-bits", String(TEST_BITS), "--rate-limits", "off"];
  const place = ["--base-url", "http://board.test", "--log-level", "fatal"];
  node = await start(readConfig([...databases, ...flags, ...place], {}), { replicaLimits });
});
afterAll(async () => {
  await node.close();
  await operator.end();
  await standby.remove();
  await primary.remove();
});

interface Page {
  readonly messages: readonly { readonly id: string }[];
  readonly latest_seq: number;
}
async function list(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${node.address}/api/messages?${query}`, { headers });
  const page = response.status === 200 ? ((await response.json()) as Page) : undefined;
  return { status: response.status, etag: response.headers.get("etag") ?? "", page };
}

test("a replica answers lists, a lagging one is skipped, and a reader that continues by after_seq misses nothing", async () => {
  const agent = new Agent();
  const url = node.address;
  const shows = async (id: string, query = "limit=50") => (await list(query)).page?.messages.some((one) => one.id === id) === true;
  const { id: first } = await postTo(url, agent.envelope({ kind: "note", body: "first" }));
  await eventually("the replica has it", async () => ((await shows(first)) ? true : undefined));
  // Until the replica has been checked, the primary answers. A new query each time, because the same one would be answered from the cache.
  let limit = 10;
  await eventually("the replica is asked", async () => {
    await list(`limit=${limit++}`);
    const [asked] = await operator.query<{ n: number }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name LIKE 'blackboard replica%' AND query LIKE '%messages%'",
    );
    return (asked?.n ?? 0) > 0 ? true : undefined;
  });

  await operator.query("SELECT pg_wal_replay_pause()");
  const { id, seq } = await postTo(url, agent.envelope({ kind: "note", body: "while the replica stands still" }));
  const stale = await list("limit=50");
  const known = stale.page?.latest_seq ?? 0;
  expect(known).toBeLessThan(seq);
  expect(stale.page?.messages.some((one) => one.id === id)).toBe(false);
  // Continuing from a list shows everything newer at once.
  expect(await shows(id, `after_seq=${known}`)).toBe(true);
  expect((await fetch(`${url}/api/messages/${id}`)).status).toBe(200);
  // The replica is still stopped, and now it is too old.
  replicaLimits.staleMs = 0;
  await eventually("the primary answers", async () => ((await shows(id)) ? true : undefined));
  expect((await list("limit=50", { "if-none-match": stale.etag })).page?.latest_seq ?? known).toBeGreaterThanOrEqual(known);
  // No caller is told that an old answer is still valid.
  expect((await list("limit=50", { "if-none-match": stale.etag })).status).toBe(200);
  await operator.query("SELECT pg_wal_replay_resume()");
});

test("a replica that is gone costs nobody an answer", async () => {
  await standby.stop();
  for (let i = 0; i < 3; i++) expect((await list(`limit=${10 + i}`)).status).toBe(200);
});
