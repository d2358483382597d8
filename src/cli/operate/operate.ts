// `blackboard operate`: the operator's commands. They open the store themselves, while the board may run.
import type { Command } from "commander";
import { onlyNames } from "../group.ts";
import { refuseRepeated } from "../empty-or-repeated-options.ts";
import { acceptHistoryCommand } from "./accept-history.ts";
import { changeKeyCommand } from "./change-key.ts";
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import { decisionCommands } from "./block-unblock-restore.ts";
import { keepJournal } from "./operator-audit-log.ts";
import { undoneCommand } from "./list-or-reapply-undone.ts";
import { removeCommand } from "./remove.ts";
import { reportsCommand } from "./reports.ts";
import { restoreBackupCommand } from "./restore-backup.ts";
import { statsCommand } from "./stats.ts";
import { switchCommands } from "./switches.ts";

/** A new command is its own file and one line here. */
const TOOLS = [
  reportsCommand,
  removeCommand,
  decisionCommands,
  switchCommands,
  statsCommand,
  checkCommand,
  backupCommand,
  restoreBackupCommand,
  acceptHistoryCommand,
  changeKeyCommand,
  undoneCommand,
];

export function operateCommand(program: Command): void {
  const operate = onlyNames(program.command("operate")).description(
    "reports, removals, blocks, switches, check and backup, while the board runs",
  );
  for (const add of TOOLS) add(operate);
  refuseRepeated(operate);
  keepJournal(operate);
}
