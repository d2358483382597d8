// How a database gets from one version of its tables to the next.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { FIRST, THIRD } from "../../../test/support/schema-history.ts";
import { Client } from "./client.ts";
import { bringUp, migrate } from "./migrate.ts";

let data: string;
let client: Client;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "migrate-"));
  client = new Client({ url: await databaseFor(data), connections: 2, name: "test" });
  await client.script("DROP TABLE blackboard_schema");
});
afterEach(async () => {
  await client.end();
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
});

const state = async () => ({
  version: (await client.query<{ version: number }>("SELECT version FROM blackboard_schema"))[0]?.version,
  notes: await client.query("SELECT * FROM notes"),
});

test("a database of an older version keeps its rows and comes to the newest, each step once, however many nodes start", async () => {
  await bringUp(client, FIRST);
  await client.script("INSERT INTO notes VALUES ('kept')");
  await Promise.all([bringUp(client, THIRD), bringUp(client, THIRD), bringUp(client, THIRD)]);
  expect(await state()).toEqual({ version: 3, notes: [{ text: "kept", words: 2, kind: null }] });
});

test("a step that fails half way leaves the database as it was before that step", async () => {
  await bringUp(client, FIRST);
  await client.script("INSERT INTO notes VALUES ('kept')");
  const broken = { ...THIRD, steps: { ...THIRD.steps, 2: "UPDATE notes SET words = 99; UPDATE nowhere SET words = 1;" } };
  await expect(bringUp(client, broken)).rejects.toThrow("nowhere");
  expect(await state()).toEqual({ version: 2, notes: [{ text: "kept", words: 1 }] });
  await bringUp(client, THIRD);
  expect(await state()).toEqual({ version: 3, notes: [{ text: "kept", words: 2, kind: null }] });
});

test("a database of a newer version, or of a build from before the first release, is refused in words and left alone", async () => {
  await bringUp(client, THIRD);
  await expect(bringUp(client, FIRST)).rejects.toThrow(
    "The database has schema 3; this program needs 1. A newer version of the program made it",
  );
  await expect(migrate(client)).rejects.toThrow("keep using that build, or start a new board");
  expect(await state()).toEqual({ version: 3, notes: [] });
});
