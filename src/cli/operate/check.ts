// `blackboard operate check`: compares the whole board with its log, on a copy of the database, while the board may run.
import { plural } from "../../core/text/plural.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { readIndexInventory } from "../../adapters/search/index-inventory.ts";
import { MEANING_TABLE } from "../../adapters/system/package-files.ts";
import { openHoldings } from "../../adapters/sqlite/non-message-rows.ts";
import { databasePath } from "../../adapters/sqlite/open.ts";
import { endWithdrawn } from "../../adapters/sqlite/writer.ts";
import { signaturePool } from "../../adapters/system/signature-pool.ts";
import type { Config } from "../../config.ts";
import { inDirectory } from "../../storage/in-directory.ts";
import { placeOf } from "../../storage/open.ts";
import { checkBoard, type CheckReport } from "./check/check-board.ts";
import { signatureRule } from "./check/strict-signature-check.ts";
import { withOperator, configOf, type OperatorOptions, withClosedBoard } from "./operator-session.ts";

const SHOWN = 50;

export function checkCommand(operate: Command): void {
  withOperator(
    operate
      .command("check")
      .description(
        "verify every signature, the chain, the tree, the checkpoint, attachments, the search index and, by replay, every derived fact and every inbox entry",
      ),
  ).action(check);
}

async function check(options: OperatorOptions): Promise<void> {
  const { print } = withClosedBoard(options);
  const checked = await checkConfigured(configOf(options));
  const { entries, messages, faults, findings } = checked;
  const read = `${plural(entries, "entry", "entries")} and ${plural(messages, "message")} were checked`;
  const lines = findings.slice(0, SHOWN).map(({ where, fault }) => `  ${where} ${fault}`);
  const more = faults > SHOWN ? [`  and ${faults - SHOWN} more; --json shows the first thousand`] : [];
  print(
    faults === 0 ? `${read}: everything matches the log.` : [`${read}: ${plural(faults, "fault")}.`, ...lines, ...more].join("\n"),
    checked,
  );
  if (faults > 0) process.exitCode = 1;
}

export async function checkConfigured(config: Config, now: number = Date.now()): Promise<CheckReport> {
  // Read before the copy is made. So if the copy is behind it, the database itself is.
  const place = placeOf(config);
  const board = await place.identity();
  const index = readIndexInventory(join(config.data, "index"), config.meaning ? MEANING_TABLE : undefined);
  const dir = mkdtempSync(join(tmpdir(), "blackboard-copy-"));
  const signatures = signaturePool(Math.max(1, availableParallelism() - 1));
  try {
    await place.copyTo(databasePath(dir), board.pk);
    endWithdrawn(databasePath(dir));
    await using store = (await inDirectory(dir).openBeside()).store;
    using holdings = openHoldings(databasePath(dir));
    return await checkBoard({ store, holdings, index, signed: board.signed, pk: board.pk }, signatureRule(signatures), now);
  } finally {
    await signatures.close();
    rmSync(dir, { recursive: true, force: true });
  }
}
