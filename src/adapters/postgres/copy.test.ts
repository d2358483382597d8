// A board that moves from PostgreSQL to SQLite and back: nothing is changed on the way, and it goes on where it was.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BusyBoard } from "../../../test/support/busy-board.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { databaseFor } from "../../../test/support/postgres/database.ts";
import { emptyDirectory } from "../../../test/support/process.ts";
import { Operator } from "../../../test/support/operator.ts";
import { Random, SEED } from "../../../test/support/random.ts";
import { copyBoard } from "../../cli/copy.ts";
import { makeBackup, restoreToDatabase } from "../../cli/operate/backup.ts";
import { configOf } from "../../cli/operate/desk.ts";
import { undoneIn } from "../../cli/operate/undone.ts";
import { databasePath } from "../sqlite/open.ts";
import { COPIED_TABLES, type CopiedRow } from "../sql/copied-tables.ts";
import { Client } from "./client.ts";
import { readPortions } from "./transfer.ts";

/** Every row of every table, in an order of its own. */
function rowsOf(url: string): Promise<Record<string, string[]>> {
  return readPortions(url, async (portions) => {
    const tables: Record<string, string[]> = {};
    const text = (row: CopiedRow): string => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
    for await (const { table, rows } of portions) (tables[table] ??= []).push(...rows.map(text));
    for (const rows of Object.values(tables)) rows.sort();
    return tables;
  });
}

test(`a board that is moved to SQLite and back has every row it had, verified, and goes on (SEED=${SEED})`, async () => {
  const first = await TestBoard.start();
  await new BusyBoard(first, new Random(SEED)).fill(150);
  const { seq } = (await first.get<{ seq: number }>("/api/checkpoint")).body;
  await first.stop();
  const now = first.clock.now();
  const [between, last] = [emptyDirectory(), emptyDirectory()];
  const [from, to] = [await databaseFor(first.data), await databaseFor(last)];
  const keyFile = join(first.data, "board.key");

  const moved = await copyBoard({ from, to: between, keyFile }, now);
  expect(moved.seq).toBeGreaterThanOrEqual(seq);
  expect(await copyBoard({ from: between, to }, now)).toEqual(moved);
  const before = await rowsOf(from);
  expect(Object.keys(before).length).toBeGreaterThan(12);
  expect(await rowsOf(to)).toEqual(before);
  await expect(copyBoard({ from: between, to }, now)).rejects.toThrow("There is a board in the database already");
  await expect(copyBoard({ from, to: between, keyFile }, now)).rejects.toThrow("There is a board in");
  await expect(copyBoard({ from: between, to: last }, now)).rejects.toThrow("one to copy from, the other to copy to");

  copyFileSync(keyFile, join(last, "board.key"));
  rmSync(first.data, { recursive: true });
  await using again = await TestBoard.start({ data: last, clock: first.clock });
  await expect(copyBoard({ from: to, to: emptyDirectory() }, now)).rejects.toThrow("Stop them first");
  const { seq: next } = await again.put(again.agent(), { kind: "note", body: "after the move" });
  expect(next).toBeGreaterThan(moved.seq);
  expect((await again.get<{ seq: number }>("/api/checkpoint")).body.seq).toBe(next);
});

test("a board in PostgreSQL is backed up while it runs, and the backup is a whole board", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { kind: "note", body: "to be kept" });
  const [dir, databaseUrl] = [join(emptyDirectory(), "backup"), await databaseFor(board.data)];
  const config = configOf({ databaseUrl, data: board.data, keyFile: join(board.data, "board.key") });
  const { seq } = await makeBackup(config, dir, false);
  expect(seq).toBe(1);
  const copy = await databaseFor(dir);
  expect(await restoreToDatabase(config, copy, dir, board.clock.now())).toMatchObject({ seq });
  expect((await rowsOf(copy))["messages"]?.join()).toContain(id);
  const undone = () => undoneIn(databaseUrl, databasePath(dir));
  expect(await undone()).toEqual({ lost: [], reversed: [], switches: {}, reopened: [], lostReports: 0, givenOut: undefined });
  await using operator = await Operator.at(board);
  await operator.remove(id);
  // What the backup still shows, the operator is told to remove again.
  await operator.desk.order({ do: "switch", switches: { readOnly: true } });
  expect(await undone()).toMatchObject({ lost: [{ target: id, order: "remove", here: true }], switches: { readOnly: true }, givenOut: 2 });
});

test("every table of a board is copied, or belongs to the database itself", async () => {
  const client = new Client({ url: await databaseFor(emptyDirectory()), connections: 1, name: "test" });
  const tables = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  await client.end();
  const own = new Set(["board", "signed_head", "blackboard_schema"]);
  expect(
    tables
      .map(({ name }) => name)
      .filter((name) => !own.has(name))
      .sort(),
  ).toEqual([...COPIED_TABLES].sort());
});
