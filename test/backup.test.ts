// Backups as an operator makes and needs them: under load, whole, and never a way to a second history.
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databasePath } from "../src/adapters/sqlite/open.ts";
import { makeBackup, restoreBackup } from "../src/cli/operate/backup.ts";
import { readConfig } from "../src/config.ts";
import { TestBoard } from "./support/board.ts";
import { chainFaults, type Change } from "./support/chain.ts";
import { eventually } from "./support/eventually.ts";
import { Operator } from "./support/operator.ts";
import { emptyDirectory } from "./support/process.ts";
import { expectRefusal } from "./support/refusal.ts";

const configOf = (data: string) => readConfig(["--data", data], {});
const changes = async (board: TestBoard) => (await board.get<{ changes: Change[] }>("/api/changes?limit=1000&include=raw")).body.changes;
const note = (title: string) => ({ kind: "note", title });

test("a backup made under load is a prefix of the history; restored, the board refuses to sign behind its last checkpoint", async () => {
  const board = await TestBoard.start();
  const agent = board.agent();
  const dir = join(emptyDirectory(), "backup");
  const load = { on: true, posted: 0 };
  const reached = (count: number) => eventually(`${count} posts`, () => (load.posted >= count ? true : undefined));
  const posters = Array.from({ length: 4 }, async (_, n) => {
    for (let i = 0; load.on; i++) {
      await board.put(agent, { ...note(`load ${n} ${i}`), body: "x".repeat(3000) });
      load.posted++;
    }
  });
  await reached(40);
  const head = await makeBackup(configOf(board.data), dir, true);
  await reached(load.posted + 40);
  load.on = false;
  await Promise.all(posters);
  const removed = (await changes(board)).at(-1)?.id ?? "";
  {
    await using operator = await Operator.at(board);
    await operator.remove(removed);
  }
  const whole = await changes(board);
  expect((await board.get("/api/checkpoint")).body).toMatchObject({ seq: whole.length });
  await board.stop();

  const restored = await restoreBackup(configOf(board.data), dir);
  expect(restored).toMatchObject({ head, signed: { seq: whole.length } });
  expect(restored.lost.map(({ target }) => target)).toEqual([removed]);
  const { replaced = "" } = restored;
  expect(readdirSync(replaced)).toContain("board.db");
  rmSync(replaced, { recursive: true });
  await using again = await TestBoard.start({ data: board.data, clock: board.clock });
  const prefix = await changes(again);
  expect(prefix.length).toBe(head.seq);
  expect(prefix.length).toBeGreaterThanOrEqual(40);
  expect(prefix).toEqual(whole.slice(0, prefix.length).map((entry, i) => ({ ...entry, raw: prefix[i]?.raw ?? null })));
  expect(chainFaults(prefix)).toEqual([]);
  expectRefusal(await again.get("/api/checkpoint"), 503, "log_rollback");
  expectRefusal(await again.post(again.agent(), note("behind")), 503, "log_rollback");
  expect((await again.get<{ messages: unknown[] }>("/api/messages?q=load&limit=200")).body.messages.length).toBeGreaterThanOrEqual(40);
  await using operator = await Operator.at(again);
  await expect(operator.remove(prefix[0]?.id ?? "")).rejects.toThrow("behind the last signed head");
});

test("on a new machine the board goes on from its backup, with its key and everything else", async () => {
  const board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { ...note("kept"), attachments: [] });
  const checkpoint = (await board.get("/api/checkpoint")).body;
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, true);
  await board.stop();
  const data = join(emptyDirectory(), "elsewhere");
  const { replaced, lost } = await restoreBackup(configOf(data), dir);
  expect({ replaced, lost }).toEqual({ replaced: undefined, lost: [] });
  await using again = await TestBoard.start({ data, clock: board.clock });
  expect((await again.get("/api/checkpoint")).body).toEqual(checkpoint);
  expect((await again.record(id)).meta.title).toBe("kept");
  expect((await again.put(again.agent(), note("goes on"))).seq).toBe(2);
  expect(readFileSync(join(data, "board.key"), "utf8")).toBe(readFileSync(join(board.data, "board.key"), "utf8"));
});

test("a backup overwrites nothing: not a directory in use, not a running board, not another board's key", async () => {
  await using board = await TestBoard.start();
  await board.put(board.agent(), note("kept"));
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, false);
  expect(existsSync(join(dir, "board.key"))).toBe(false);
  await expect(makeBackup(configOf(board.data), dir, true)).rejects.toThrow("is not empty");
  await expect(restoreBackup(configOf(board.data), dir)).rejects.toThrow("Another board is running");
  await expect(restoreBackup(configOf(board.data), emptyDirectory())).rejects.toThrow("There is no backup");
  const keyed = join(emptyDirectory(), "keyed");
  await makeBackup(configOf(board.data), keyed, true);
  const other = await TestBoard.start();
  await other.stop();
  await expect(restoreBackup(configOf(other.data), keyed)).rejects.toThrow("another key");
});

test("a link to the database of a running board, from another directory, is no second board that signs", async () => {
  await using board = await TestBoard.start();
  const linked = emptyDirectory();
  symlinkSync(databasePath(board.data), databasePath(linked));
  await expect(TestBoard.start({ data: linked })).rejects.toThrow("Another board is running");
});

test("what was removed before a backup is not in it, however recently", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { ...note("zqxjkvword"), body: "zqxjkvword ".repeat(1000) });
  await using operator = await Operator.at(board);
  await operator.remove(id);
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, false);
  for (const file of readdirSync(dir)) expect(readFileSync(join(dir, file)).toString("latin1"), file).not.toContain("zqxjkvword");
});
