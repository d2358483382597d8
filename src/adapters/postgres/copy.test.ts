// A board that moves from PostgreSQL to SQLite and back: nothing is changed on the way, and it goes on where it was.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BusyBoard } from "../../../test/support/busy-board.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { databaseFor } from "../../../test/support/postgres/database.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { BoardProcess, emptyDirectory } from "../../../test/support/process.ts";
import { Operator } from "../../../test/support/operator.ts";
import { Random, SEED } from "../../../test/support/random.ts";
import { copyBoard } from "../../cli/operate/copy.ts";
import { makeBackup } from "../../cli/operate/backup.ts";
import { configOf } from "../../cli/operate/operator-session.ts";
import { restoreToDatabase } from "../../cli/operate/restore-backup.ts";
import { undoneBy } from "../../cli/operate/undone.ts";
import { inDirectory } from "../../storage/in-directory.ts";
import { placeOf } from "../../storage/open.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { COPIED_TABLES, type CopiedRow } from "../sql/copied-tables.ts";
import { makeBoardKey } from "../system/board-key.ts";
import { Client, connectTo } from "./client.ts";
import { readRowBatches } from "./transfer.ts";

/** Every row of every table, in an order of its own. */
function rowsOf(url: string): Promise<Record<string, string[]>> {
  return readRowBatches(url, async (batches) => {
    const tables: Record<string, string[]> = {};
    const text = (row: CopiedRow): string => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
    for await (const { table, rows } of batches) (tables[table] ??= []).push(...rows.map(text));
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

  const { head: moved } = await copyBoard({ from, to: between, keyFile }, now);
  expect(moved.seq).toBeGreaterThanOrEqual(seq);
  expect((await copyBoard({ from: between, to }, now)).head).toEqual(moved);
  const before = await rowsOf(from);
  expect(Object.keys(before).length).toBeGreaterThan(12);
  expect(await rowsOf(to)).toEqual(before);
  await expect(copyBoard({ from: between, to }, now)).rejects.toThrow("There is a board in the database already");
  await expect(copyBoard({ from, to: between, keyFile }, now)).rejects.toThrow("There is already a board in");
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
  const { head } = await makeBackup(config, dir, false);
  expect(head.seq).toBe(1);
  const copy = await databaseFor(dir);
  expect(await restoreToDatabase(config, copy, dir, board.clock.now())).toMatchObject({ head, key: { state: "there" } });
  expect((await rowsOf(copy))["messages"]?.join()).toContain(id);
  const undone = async () => undoneBy(await placeOf(config).acts([]), inDirectory(dir));
  expect(await undone()).toEqual({ lost: [], reversed: [], switches: {}, reopened: [], lostReports: 0, givenOut: undefined });
  await using operator = await Operator.at(board);
  await operator.remove(id);
  // The operator learns what to remove again, because the backup still shows it.
  await operator.session.order({ do: "switch", switches: { readOnly: true } });
  expect(await undone()).toMatchObject({ lost: [{ target: id, order: "remove", here: true }], switches: { readOnly: true }, givenOut: 2 });
});

test("a backup that is interrupted leaves nothing", async () => {
  await using board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", body: "to be kept" });
  const [dir, url] = [join(emptyDirectory(), "backup"), await databaseFor(board.data)];
  const session = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  const sql = connectTo({ url, connections: 1, name: "test", session });
  // It waits for the first table for as long as somebody holds that.
  await sql.begin(async (holding) => {
    await holding.unsafe("LOCK TABLE messages IN ACCESS EXCLUSIVE MODE");
    const backup = BoardProcess.spawn({ args: ["operate", "backup", dir, "--data", board.data, "--database-url", url] });
    await eventually("the beginning of a backup", () => existsSync(join(dir, "board.db.next")) || undefined);
    expect(await backup.kill("SIGINT")).toMatchObject({ code: null, signal: "SIGINT", stdout: "" });
  });
  await sql.end();
  expect(existsSync(dir)).toBe(false);
});

test("a board that is moved to SQLite takes its key along, from where the settings say, and none that is not its own", async () => {
  const board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", body: "to be moved" });
  const [id, from] = [await board.name(), await databaseFor(board.data)];
  await board.stop();
  const [home, other] = [emptyDirectory(), join(emptyDirectory(), "other.key")];
  const otherId = agentId(makeBoardKey(other).pk);
  const to = join(home, "moved");
  const copy = (env: Record<string, string> = {}, ...more: string[]) =>
    BoardProcess.spawn({ args: ["copy", "--from", from, "--to", to, ...more], env, cwd: home }).ended;
  const wrong = await copy({ BOARD_KEY_FILE: other });
  expect(wrong).toMatchObject({ code: 1, stdout: "" });
  expect(wrong.stderr).toContain(`The board in the database is ${id} (public key `);
  expect(wrong.stderr).toContain(`but ${other} holds the key of ${otherId}. Give the board's own key with --key-file.`);
  const missing = await copy();
  expect(missing.stderr).toContain(`but there is no key at ${join("data", "board.key")}. Give the board's own key with --key-file.`);
  expect(readdirSync(home)).toEqual([]);
  const { code, stdout } = await copy({ BOARD_DATA_DIR: board.data });
  expect(code).toBe(0);
  expect(stdout).toContain(`The key of the board (${id}) is now at ${join(to, "board.key")}.\n`);
  expect(readFileSync(join(to, "board.key"), "utf8")).toBe(readFileSync(join(board.data, "board.key"), "utf8"));
  await using again = await TestBoard.start({ data: to, clock: board.clock, store: "sqlite" });
  expect(await again.name()).toBe(id);
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
