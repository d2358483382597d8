// Folding the write-ahead log beside the writer: it stays short while posts pour in, loses nothing, and tells of a broken file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Checkpoints } from "./wal-checkpoints.ts";
import { databasePath, openDatabase } from "./open.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "checkpoints-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const PAGES = 200;
const TRANSACTIONS = 150;

test("the write-ahead log is folded in and restarted while transactions go on, and every row is in the file afterwards", async () => {
  const path = databasePath(dir);
  const db = openDatabase(path, "write");
  const checkpoints = new Checkpoints(db, path);
  const length = db.prepare("PRAGMA wal_checkpoint(NOOP)");
  db.exec("CREATE TABLE filler (n INTEGER, page BLOB)");
  const insert = db.prepare("INSERT INTO filler VALUES (?, zeroblob(4000))");
  let longest = 0;
  let restarts = 0;
  let before = 0;
  for (let n = 0; n < TRANSACTIONS; n++) {
    checkpoints.keep();
    db.exec("BEGIN IMMEDIATE");
    for (let i = 0; i < PAGES; i++) insert.run(n);
    db.exec("COMMIT");
    const { log } = length.get() as { log: number };
    longest = Math.max(longest, log);
    if (log < before) restarts++;
    before = log;
    // The thread's answer is heard between transactions.
    if (n % 10 === 9) while (checkpoints.folding) await setImmediate();
  }
  expect(restarts).toBeGreaterThan(0);
  expect(longest).toBeLessThan(PAGES * TRANSACTIONS * 0.7);
  await checkpoints.close();
  db.close();

  const again = openDatabase(path, "read");
  expect(again.prepare("SELECT count(*) AS n FROM filler").get()).toEqual({ n: PAGES * TRANSACTIONS });
  expect(again.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  again.close();
});

test("a file that cannot be folded stops the writer instead of being overlooked", async () => {
  const db = openDatabase(databasePath(dir), "write");
  const checkpoints = new Checkpoints(db, dir);
  db.exec("CREATE TABLE filler (page BLOB)");
  const insert = db.prepare("INSERT INTO filler VALUES (zeroblob(4000))");
  db.exec("BEGIN");
  for (let i = 0; i < 5000; i++) insert.run();
  db.exec("COMMIT");
  checkpoints.keep();
  while (checkpoints.folding) await setImmediate();
  expect(() => checkpoints.keep()).toThrow();
  await checkpoints.close();
  db.close();
});
