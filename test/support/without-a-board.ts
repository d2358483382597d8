// Acts written straight into a board's store while no board runs on it: what no request could bring about, or what a crash leaves behind.
import { join } from "node:path";
import { openPostgresStore } from "../../src/adapters/postgres/store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { makeBoardKey, readBoardKey } from "../../src/adapters/system/board-key.ts";
import type { Act } from "../../src/core/message/act.ts";
import { databaseFor, onPostgres } from "./postgres/database.ts";

/** Each batch is one transaction; then the store is let go, whatever it was in the middle of. */
export async function writeWithoutBoard(data: string, batches: readonly (readonly Act[])[], now: number): Promise<void> {
  // A board with messages and without a key does not start.
  const key = join(data, "board.key");
  if (readBoardKey(key) === undefined) makeBoardKey(key);
  const store = onPostgres() ? await openPostgresStore(await databaseFor(data)) : await openSqliteStore(data, () => {});
  try {
    for (const batch of batches)
      for (const outcome of (await store.append(batch, now)).outcomes) if ("refused" in outcome) throw new Error(outcome.refused.message);
  } finally {
    await store.close();
  }
}
