// Writes acts directly into a board's store while no board runs: for states that no request causes, or that a crash leaves.
import { join } from "node:path";
import { openPostgresStore } from "../../src/adapters/postgres/store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { makeBoardKey, readBoardKey } from "../../src/adapters/system/board-key.ts";
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import { databaseFor, onPostgres } from "./postgres/database.ts";

/** Each batch is one transaction. Then the store is closed, even if a longer operation is unfinished. */
export async function writeWithoutBoard(data: string, batches: readonly (readonly Act[])[], now: number): Promise<void> {
  // A board that has messages does not start without a key.
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
