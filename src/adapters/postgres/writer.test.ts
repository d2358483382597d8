import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postAct } from "../../../test/support/bare-board.ts";
import { ITEMS_LEFT, LEFT_OF_THEM, OLD_INBOX_ITEMS, WITHOUT_ACTOR } from "../../../test/support/old-inbox-items.ts";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { WITHDRAWN_PER_BATCH } from "../../core/message/sweep.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { Client } from "./client.ts";
import { migrate } from "./migrate.ts";
import { WRITE_FUNCTION_NAME } from "./write-function.ts";
import { PostgresWriter } from "./writer.ts";

const ROUNDS = 40;
const NOW = Date.UTC(2026, 0, 1);

let data: string;
let url: string;
let client: Client;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "writer-"));
  url = await databaseFor(data);
  client = new Client({ url, connections: 1, name: "test" });
});
afterAll(async () => {
  await client.end();
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
});

const note = (body: string) =>
  postAct(JSON.stringify({ v: 1, pk: Buffer.alloc(32, 7).toString("base64url"), ts: NOW / 1000, kind: "note", body }));
const functions = (): Promise<readonly { name: string; version: string }[]> =>
  client.query("SELECT proname AS name, oid || ' ' || xmin AS version FROM pg_proc WHERE proname LIKE 'write_batch%' ORDER BY 1");

test("nodes that write at the same moment each get every batch in, one after the other, without a gap", async () => {
  const writers = [new PostgresWriter(url, "a"), new PostgresWriter(url, "b"), new PostgresWriter(url, "c")];
  const written = await Promise.all(
    writers.map(async (writer, lane) => {
      const seqs: number[] = [];
      for (let i = 0; i < ROUNDS; i++) {
        const { outcomes, head } = await writer.run([note(`${lane} ${i} first`), note(`${lane} ${i} second`)], NOW);
        expect(outcomes.map((one) => ("result" in one ? one.result : one))).toEqual(["created", "created"]);
        seqs.push(head.seq);
      }
      return seqs;
    }),
  );
  await Promise.all(writers.map((writer) => writer.end()));
  const all = written.flat().sort((a, b) => a - b);
  expect(all).toEqual(Array.from({ length: writers.length * ROUNDS }, (_, i) => 2 * (i + 1)));
  const [board] = await client.query("SELECT seq, version FROM board");
  expect(board).toEqual({ seq: 2 * all.length, version: all.length });
});

test("an agent that withdraws thousands holds nobody up: a step in each batch, whichever node writes it", async () => {
  const pk = Buffer.alloc(32, 9).toString("base64url");
  const own = (fields: object) => postAct(JSON.stringify({ v: 1, pk, ts: NOW / 1000, ...fields }));
  const most = WITHDRAWN_PER_BATCH + 300;
  const [first, second] = [new PostgresWriter(url, "a"), new PostgresWriter(url, "b")];
  for (let at = 0; at < most; at += 128)
    await first.run(
      Array.from({ length: Math.min(128, most - at) }, (_, i) => own({ kind: "note", body: `own ${at + i}` })),
      NOW,
    );
  const state = async () =>
    (await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM messages WHERE author = $1 AND withdrawn = 0`, [agentId(pk)]))[0]?.n;
  const retracted = await first.run([own({ kind: "retraction", data: { scope: "all" } })], NOW + 1000);
  // The rest of them, and the message that withdraws them.
  expect([await state(), retracted.nextDue]).toEqual([300 + 1, NOW + 1000]);
  const withdrawal = { type: "withdrawal", agent: agentId(pk) } as const;
  expect((await second.run([note("in between"), withdrawal], NOW + 1010)).outcomes).toMatchObject([{ result: "created" }, { more: true }]);
  expect(await state()).toBe(1);
  expect((await second.run([withdrawal], NOW + 1020)).outcomes).toEqual([{ more: false }]);
  const gone = () =>
    client.query(`SELECT count(*)::int AS n FROM gone WHERE author = $1 AND reason = 'retracted' AND at = $2`, [agentId(pk), NOW + 1000]);
  for (let more = true; more;) {
    const [swept] = (await second.run([{ type: "sweep" }], NOW + 1030)).outcomes;
    more = swept !== undefined && "more" in swept && swept.more;
  }
  expect(await gone()).toEqual([{ n: most }]);
  await Promise.all([first.end(), second.end()]);
});

test("a node that starts replaces nothing that the nodes beside it write with", async () => {
  // As an earlier release left it.
  await client.script("CREATE FUNCTION write_batch(p_version bigint) RETURNS bigint LANGUAGE sql AS 'SELECT p_version'");
  const before = await functions();
  expect(before.map(({ name }) => name)).toEqual(["write_batch", WRITE_FUNCTION_NAME]);
  await migrate(client);
  expect(await functions()).toEqual(before);
});

test("a node of another release finds its own function missing, and brings it along", async () => {
  await client.script(`DROP FUNCTION ${WRITE_FUNCTION_NAME}`);
  await migrate(client);
  const writer = new PostgresWriter(url);
  const { outcomes } = await writer.run([note("after the upgrade")], NOW);
  await writer.end();
  expect(outcomes).toMatchObject([{ result: "created" }]);
});

test("the live messages of agents are counted on a board of schema 12", async () => {
  const live = () => client.query("SELECT agent, label, count FROM agent_tallies WHERE field = 'live' ORDER BY agent");
  const counted = await live();
  expect(counted).toContainEqual({ agent: agentId(Buffer.alloc(32, 7).toString("base64url")), label: "", count: expect.any(Number) });
  await client.script(`DELETE FROM agent_tallies WHERE field = 'live'; ${WITHOUT_ACTOR} UPDATE blackboard_schema SET version = 12`);
  await migrate(client);
  expect(await live()).toEqual(counted);
});

test("of the inbox items on a board of schema 13 those are left that would be kept today", async () => {
  await client.script(`${OLD_INBOX_ITEMS} UPDATE blackboard_schema SET version = 13`);
  await migrate(client);
  const left = await client.query<{ seq: number; agent: string; actor: string | null }>(ITEMS_LEFT);
  expect(left.map(({ seq, agent, actor }) => [seq, agent, actor])).toEqual(LEFT_OF_THEM);
});

test("agents that withdraw everything at the same moment, however many, do not keep others' posts out", async () => {
  const writer = new PostgresWriter(url);
  const { head } = await writer.run([note("withdrawn in the end")], NOW);
  await client.script(`INSERT INTO withdrawals (author, seq, done, at) SELECT 'ag_' || i, 1, 0, ${NOW} FROM generate_series(1, 1800) AS i;
    INSERT INTO withdrawals (author, seq, done, at) VALUES ('${agentId(Buffer.alloc(32, 7).toString("base64url"))}', ${head.seq + 1}, 0, ${NOW})`);
  const { outcomes } = await writer.run([note("others' post")], NOW + 1000);
  expect(outcomes).toMatchObject([{ result: "created" }]);
  const [left] = await client.query("SELECT count(*)::int AS withdrawals FROM withdrawals");
  expect(left).toEqual({ withdrawals: 0 });
  await writer.end();
});
