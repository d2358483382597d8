// `blackboard operate`: the operator's tools, on the store and beside the running board.
import type { Command } from "commander";
import { onlyNames } from "./group.ts";
import { refuseRepeated } from "./mistakes.ts";
import { acceptHistoryCommand } from "./operate/accept-history.ts";
import { backupCommand } from "./operate/backup.ts";
import { checkCommand } from "./operate/check.ts";
import { decisionCommands } from "./operate/decisions.ts";
import { keepJournal } from "./operate/journal.ts";
import { undoneCommand } from "./operate/reapply.ts";
import { removeCommand } from "./operate/remove.ts";
import { reportsCommand } from "./operate/reports.ts";
import { restoreBackupCommand } from "./operate/restore-backup.ts";
import { statsCommand } from "./operate/stats.ts";
import { switchCommands } from "./operate/switches.ts";

/** A new tool is its own file and one line here. */
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
