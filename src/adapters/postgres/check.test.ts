// `operate check` on a PostgreSQL board: silent on a sound one, also while it is written to, and loud about what was planted.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BusyBoard } from "../../../test/support/busy-board.ts";
import { configAt, Operator } from "../../../test/support/operator.ts";
import { Random, SEED } from "../../../test/support/random.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { emptyDirectory } from "../../../test/support/process.ts";
import { makeBackup } from "../../cli/operate/backup.ts";
import { checkConfigured } from "../../cli/operate/check.ts";
import { placeOf } from "../../storage/open.ts";
import { Client } from "./client.ts";

test(`a board in PostgreSQL is checked at one moment, and each planted corruption is named (SEED=${SEED})`, async () => {
  await using board = await TestBoard.start();
  const busy = new BusyBoard(board, new Random(SEED), 4);
  await busy.fill(80);
  const author = board.agent();
  const { id } = await board.put(author, { kind: "task", title: "to be done", tags: ["planted"] });
  await board.put(board.agent(), { kind: "result", body: "done", refs: [{ rel: "answers", id }] });
  const bad = await board.put(author, { kind: "note", title: "bad" });
  await using operator = await Operator.at(board);
  await operator.remove(bad.id);
  await board.get("/api/checkpoint");
  const load = { on: true };
  const posting = (async () => {
    for (let n = 0; load.on; n++) await board.put(author, { kind: "note", title: `meanwhile ${n}` });
  })();
  const sound = await checkConfigured(configAt(board.data), board.clock.now());
  load.on = false;
  await posting;
  expect(sound.findings).toEqual([]);
  expect(sound.messages).toBeGreaterThan(30);

  const client = new Client({ url: await databaseFor(board.data), connections: 1, name: "test" });
  for (const plant of [
    "UPDATE contents SET payload = replace(payload, 'to be done', 'to be dont')",
    `UPDATE messages SET replies = replies + 1 WHERE id = '${id}'`,
    "UPDATE tallies SET count = count + 1 WHERE field = 'tag' AND label = 'planted'",
    "UPDATE log SET hash = repeat('f', 64) WHERE seq = 3",
    `UPDATE inbox_changes SET became = 'verified' WHERE target = (SELECT seq FROM messages WHERE id = '${id}')`,
    `UPDATE actions SET facts = 'poetry' WHERE target = '${bad.id}'`,
  ])
    await client.script(plant);
  await client.end();
  const { findings } = await checkConfigured(configAt(board.data), board.clock.now());
  const said = findings.map(({ where, fault }) => `${where} ${fault}`).join("\n");
  for (const fault of [
    "payload with another id",
    "replies is 1; the log says 0",
    "count is 2; the log says 1",
    "entry 3 has a hash",
    'facts is "poetry"',
    'status open verified"]; the log says',
  ])
    expect(said).toContain(fault);
});

test("check, backup and every other command of an operator say so where the database holds no board, and make none there", async () => {
  const data = emptyDirectory();
  const client = new Client({ url: await databaseFor(data), connections: 1, name: "test" });
  await client.script("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const backup = join(emptyDirectory(), "backup");
  const config = configAt(data);
  for (const command of [() => checkConfigured(config), () => makeBackup(config, backup, false), () => placeOf(config).openBeside()])
    await expect(command()).rejects.toThrow("There is no board in this database. Give its address with --database-url.");
  expect(await client.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")).toEqual([]);
  expect(existsSync(backup)).toBe(false);
  await client.end();
  await dropDatabaseOf(data);
});
