// `blackboard operate check`: is everything as the log says? On a copy of the database of one moment, beside the running board.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { postgresHeadRecord } from "../../adapters/postgres/head-record.ts";
import { openPostgresStore } from "../../adapters/postgres/store.ts";
import { readPortions } from "../../adapters/postgres/transfer.ts";
import { databasePath } from "../../adapters/sqlite/open.ts";
import { snapshot, soundHead } from "../../adapters/sqlite/snapshot.ts";
import { openSqliteStore } from "../../adapters/sqlite/store.ts";
import { fillDatabase } from "../../adapters/sqlite/transfer.ts";
import { headFile } from "../../adapters/system/head-file.ts";
import { signaturePool } from "../../adapters/system/signature-pool.ts";
import type { Config } from "../../config.ts";
import type { Checkpoint } from "../../core/log/checkpoint.ts";
import { checkBoard, type Checked } from "./check/check-board.ts";
import { signatureRule } from "./check/signatures.ts";
import { atDesk, configOf, type DeskOptions, offDesk } from "./desk.ts";

const SHOWN = 50;

export function checkCommand(operate: Command): void {
  atDesk(
    operate.command("check").description("verify every signature, the chain, the checkpoint and, by replay, every derived fact"),
  ).action(check);
}

async function check(options: DeskOptions): Promise<void> {
  const { tell } = offDesk(options);
  const checked = await checkConfigured(configOf(options));
  const { entries, messages, faults, findings } = checked;
  const read = `${entries} entries and ${messages} messages were checked`;
  const lines = findings.slice(0, SHOWN).map(({ where, fault }) => `  ${where} ${fault}`);
  const more = faults > SHOWN ? [`  and ${faults - SHOWN} more; --json shows the first thousand`] : [];
  tell(faults === 0 ? `${read}: everything is as the log says.` : [`${read}: ${faults} faults.`, ...lines, ...more].join("\n"), checked);
  if (faults > 0) process.exitCode = 1;
}

export async function checkConfigured(config: Config, now: number = Date.now()): Promise<Checked> {
  // Before the copy, which then cannot be behind it unless the database is.
  const signed = await lastSigned(config);
  const dir = mkdtempSync(join(tmpdir(), "blackboard-copy-"));
  const signatures = signaturePool(Math.max(1, availableParallelism() - 1));
  try {
    await copyTo(config, databasePath(dir));
    const store = await openSqliteStore(dir, () => {}, "operator");
    try {
      return await checkBoard(store, signed, signatureRule(signatures), now);
    } finally {
      await store.close();
    }
  } finally {
    await signatures.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function lastSigned({ data, databaseUrl }: Config): Promise<Checkpoint | undefined> {
  const file = headFile(join(data, "head.json"));
  if (databaseUrl === undefined) return file.read();
  const store = await openPostgresStore(databaseUrl);
  try {
    return await postgresHeadRecord(store.client, file).read();
  } finally {
    await store.close();
  }
}

/** The board of one moment as a SQLite database, wherever it is kept: one way of checking does for all. */
async function copyTo({ data, databaseUrl }: Config, path: string): Promise<void> {
  if (databaseUrl !== undefined) return readPortions(databaseUrl, (portions) => fillDatabase(path, portions));
  soundHead(databasePath(data));
  snapshot(databasePath(data), path);
}
