// Erases removed content from the disk: from the write-ahead log, and from the search index if no board is running to do it.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openSearchIndex } from "../../adapters/search/search-thread-client.ts";
import type { SourceModule } from "../../adapters/search/search-thread.ts";
import { InUse, lockDataDir } from "../../adapters/sqlite/open.ts";
import { MEANING_TABLE } from "../../adapters/system/package-files.ts";
import type { Config } from "../../config.ts";
import type { OperatorSession } from "./operator-session.ts";
import { giveToOwnerOf } from "./chown-to-board-owner.ts";

const TRIES = 20;
const WAIT_MS = 100;
const INDEX_WITHIN_MS = 120_000;

/** The result of the erasure, in words. */
export async function eraseTraces({ store, config, source }: OperatorSession): Promise<string> {
  let scrubbed = false;
  for (let i = 0; i < TRIES && !scrubbed; i++) {
    if (i > 0) await setTimeout(WAIT_MS);
    scrubbed = await store.scrub();
  }
  if (source === undefined)
    return "PostgreSQL will gradually overwrite its space; nodes delete its words from their search indexes within seconds.";
  const files = scrubbed
    ? "The database files no longer contain it."
    : "A long read blocks the checkpoint: the write-ahead log still contains the erased content until the next one.";
  return `${files} ${await eraseWords(config, source)}`;
}

async function eraseWords({ data, meaning }: Config, source: SourceModule): Promise<string> {
  const dir = join(data, "index");
  if (!existsSync(dir)) return "There is no search index.";
  let lock: ReturnType<typeof lockDataDir>;
  try {
    lock = lockDataDir(data);
  } catch (error) {
    if (!(error instanceof InUse)) return `The search index still contains its words. ${(error as Error).message}`;
    return "The running board deletes its words from the search index within seconds.";
  }
  const troubles: unknown[] = [];
  const index = openSearchIndex(
    { dir, source, meaning: meaning ? MEANING_TABLE : undefined },
    { appended() {}, failed: (_what, error) => void troubles.push(error) },
  );
  try {
    for (const start = performance.now(); performance.now() - start < INDEX_WITHIN_MS; await setTimeout(WAIT_MS)) {
      const { ready, behind, erasing } = await index.status();
      if (ready && behind === 0 && !erasing) return "The search index contains none of its words.";
      if (troubles.length > 0) break;
    }
    return "The search index could not be updated; the board does that when it starts.";
  } finally {
    await index.close();
    giveToOwnerOf(data, [join(data, "board.lock"), dir, ...readdirSync(dir).map((name) => join(dir, name))]);
    lock.close();
  }
}
