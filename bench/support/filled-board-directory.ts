// A board that is filled without HTTP and signatures and reused by later runs: messages of about 1 KB, spread as unevenly as on a busy
// board.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databasePath, openDatabase } from "../../src/adapters/sqlite/open.ts";
import { SCHEMA_VERSION } from "../../src/adapters/sql/schema.ts";
import { SqliteWriter } from "../../src/adapters/sqlite/writer.ts";
import { makeBoardKey } from "../../src/adapters/system/board-key.ts";
import { HOUR_MS } from "../../src/core/durations.ts";
import { admitted } from "../../test/support/bare-board.ts";
import { BoardLife } from "./simulated-activity.ts";

/** Goes up with every change of the texts, so that a board with other texts is not reused. */
const TEXTS = 2;
const BATCH = 1000;
const LEAST = 1000;
const SPREAD_MS = 20 * HOUR_MS;
/** Messages live for seven days and leases for three. A board older than this would change while it is measured. */
const USABLE_MS = 40 * HOUR_MS;

export interface FilledBoard {
  readonly dir: string;
  readonly filledAt: number;
  /** How long filling took, also if it happened in an earlier run. */
  readonly seconds: number;
}

/** `100000`, or several sizes separated by commas; 100,000 unless given. */
export function sizesIn(messages = "100000"): readonly number[] {
  const sizes = messages.split(",").map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < LEAST))
    throw new Error(`--messages takes whole numbers from ${LEAST} on, separated by commas, not ${JSON.stringify(messages)}.`);
  return sizes;
}

export function filledBoard(messages: number): FilledBoard {
  const dir = join(tmpdir(), `blackboard-bench-read-${SCHEMA_VERSION}-${TEXTS}-${messages}`);
  const note = join(dir, "filled.json");
  if (existsSync(note)) {
    const saved = JSON.parse(readFileSync(note, "utf8")) as FilledBoard;
    if (Date.now() - saved.filledAt < USABLE_MS) return saved;
  }
  rmSync(dir, { recursive: true, force: true });
  const unfinished = `${dir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const filledAt = Date.now();
  fill(unfinished, messages, filledAt);
  const filled = { dir, filledAt, seconds: (Date.now() - filledAt) / 1000 };
  writeFileSync(join(unfinished, "filled.json"), JSON.stringify(filled));
  renameSync(unfinished, dir);
  return filled;
}

function fill(dir: string, messages: number, now: number): void {
  const db = openDatabase(databasePath(dir), "write");
  // Filling can be repeated, so nothing has to survive a crash here.
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -1048576");
  const writer = new SqliteWriter(db);
  const life = new BoardLife();
  let created = 0;
  const started = performance.now();
  for (let batches = 0; created < messages; batches++) {
    const at = now - SPREAD_MS + Math.floor((created / messages) * SPREAD_MS);
    const arrivals = Array.from({ length: Math.min(BATCH, messages - created) }, () => life.next(at));
    const { outcomes } = writer.run(
      arrivals.map((arrival) => ({ type: "post", arrival: admitted(arrival), dryRun: false })),
      at,
    );
    for (const outcome of outcomes) {
      if (!("refused" in outcome)) created++;
      else if (outcome.refused.code === "internal") throw new Error(outcome.refused.message);
    }
    if (batches % 100 === 99)
      console.log(`  ${created} messages, ${Math.round(created / ((performance.now() - started) / 1000))} a second`);
  }
  writer.close();
  // A board that has messages does not start without a key.
  makeBoardKey(join(dir, "board.key"));
}
