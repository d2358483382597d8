// The stored tree: its tiles come with their last entry, follow from the log, and are checked; its key never changes.
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { openBeside } from "../support/database.ts";
import { configAt } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";

const fill = async (board: TestBoard, count: number): Promise<void> => {
  await putAll(
    board,
    notes(count, (i) => `note ${i}`),
  );
};

test("tiles are stored from the entry that fills them, no matter which node wrote in between, and a wrong or missing tile is found", async () => {
  const first = await TestBoard.start();
  await fill(first, 250);
  {
    using db = openBeside(first.data);
    expect(db.prepare("SELECT count(*) AS n FROM tiles").get()).toEqual({ n: 0 });
  }
  await fill(first, 20);
  await first.stop();
  // The writer's memory is gone, so it continues from the stored tiles.
  await using board = await TestBoard.start({ data: first.data, clock: first.clock });
  await fill(board, 300);
  using db = openBeside(board.data);
  expect(db.prepare("SELECT level, n, length(hashes) AS chars FROM tiles ORDER BY n").all()).toEqual([
    { level: 0, n: 0, chars: 10924 },
    { level: 0, n: 1, chars: 10924 },
  ]);
  const findings = async () => (await checkConfigured(configAt(board.data), board.clock.now())).findings;
  expect(await findings()).toEqual([]);
  const { hashes } = db.prepare("SELECT hashes FROM tiles WHERE n = 1").get() as { hashes: string };
  db.prepare("UPDATE tiles SET hashes = ? WHERE n = 1").run(`A${hashes.slice(1)}`);
  expect(await findings()).toEqual([
    { where: "tile/0/001", fault: "does not follow from the entries of the log" },
    { where: "tile/1/000", fault: "does not follow from the tiles below it" },
  ]);
  db.prepare("DELETE FROM tiles WHERE n = 1").run();
  expect((await findings())[0]).toEqual({ where: "tile/0/001", fault: "is missing" });
});

test("the log's key is made once, for its owner only; it can be made again from the board's key, and with another key the board does not start", async () => {
  const board = await TestBoard.start();
  const file = join(board.data, "log.key");
  const made = readFileSync(file, "utf8");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(made).not.toBe(readFileSync(join(board.data, "board.key"), "utf8"));
  await board.put(board.agent(), { kind: "note", body: "to be kept" });
  const name = () => {
    using db = openBeside(board.data);
    return db.prepare("SELECT * FROM tlog_names").all();
  };
  const [stored, ...others] = name();
  expect(others).toEqual([]);
  expect(stored).toMatchObject({ epoch: 0, origin: "board.test/tlog" });
  expect(JSON.parse(String(stored?.["statement"]))).toMatchObject({ v: 1, origin: "board.test/tlog" });
  const backup = join(emptyDirectory(), "backup");
  await makeBackup(configAt(board.data), backup, true);
  expect(readFileSync(join(backup, "log.key"), "utf8")).toBe(made);
  await board.stop();

  const again = { data: board.data, clock: board.clock };
  rmSync(file);
  // A later change of the address changes nothing.
  await (await TestBoard.start({ ...again, flags: ["--base-url", "https://elsewhere.test"] })).stop();
  expect(readFileSync(file, "utf8")).toBe(made);
  expect(name()).toEqual([stored]);
  copyFileSync(join(board.data, "board.key"), file);
  await expect(TestBoard.start(again)).rejects.toThrow("is signed as board.test/tlog with the key whose public half is");
  writeFileSync(file, made);
  await (await TestBoard.start(again)).stop();
});
