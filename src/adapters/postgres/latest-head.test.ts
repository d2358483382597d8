// The head of the log, with which nearly every read begins.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { Client } from "./client.ts";
import { LatestHead } from "./latest-head.ts";
import { openPostgresStore } from "./store.ts";

async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "head-"));
  await work(await databaseFor(data));
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
}

test("is read even while all other statements of the board wait", () =>
  withDatabase(async (url) => {
    const holder = new Client({ url, connections: 1, name: "test" });
    const store = await openPostgresStore(url);
    await holder.query("SELECT pg_advisory_lock(1)");
    const stuck = Array.from({ length: 40 }, () => store.client.query("SELECT pg_advisory_lock_shared(1)"));
    expect((await store.head()).seq).toBe(0);
    await holder.query("SELECT pg_advisory_unlock(1)");
    await Promise.all(stuck);
    await store.close();
    await holder.end();
  }));

test("one statement answers everybody who asks while another is under way, and none answers from before it was asked", () =>
  withDatabase(async (url) => {
    const client = new Client({ url, connections: 1, name: "test" });
    let statements = 0;
    const counting = { query: (text: string) => (statements++, client.query(text)) } as Pick<Client, "query"> as Client;
    const head = new LatestHead(counting, "test");
    const first = head.read();
    const others = Array.from({ length: 10 }, () => head.read());
    expect((await first).version).toBe(0);
    await client.script("UPDATE board SET version = 1");
    const later = head.read();
    await Promise.all(others);
    expect((await later).version).toBe(1);
    expect(statements).toBeLessThanOrEqual(3);
    await client.end();
  }));
