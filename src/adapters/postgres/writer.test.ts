import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postAct } from "../../../test/support/bare-board.ts";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
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
  const heads = await Promise.all(
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
  const all = heads.flat().sort((a, b) => a - b);
  expect(all).toEqual(Array.from({ length: writers.length * ROUNDS }, (_, i) => 2 * (i + 1)));
  const [board] = await client.query("SELECT seq, version FROM board");
  expect(board).toEqual({ seq: 2 * all.length, version: all.length });
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
