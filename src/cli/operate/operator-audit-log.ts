// The operator's journal: a file beside the board with two lines for each command, one before it and one after it.
import { appendFileSync, existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { systemWords } from "../../adapters/system/file-access-errors.ts";
import { iso } from "../../core/protocol/time.ts";
import { placeOf } from "../../storage/open.ts";
import { configOf, type OperatorOptions } from "./operator-session.ts";
import { giveToOwnerOf } from "./chown-to-board-owner.ts";

const JOURNAL = "operator.log";
/** Commands that only show public data or metrics are not noted. */
const LOOK_ONLY = new Set(["stats", "check"]);
/** These flags are not noted: facts may quote a removed text, addresses contain passwords, and the place of the board is known. */
const NOT_NOTED = new Set(["facts", "databaseUrl", "replacedUrl", "data", "keyFile", "baseUrl", "yes", "json"]);

/** Notes every command, also those without an entry in the board's log: switches, dismissed reports, reports that were read, backups. */
export function keepJournal(operate: Command): void {
  operate.hook("preAction", (_operate, command) => note(command, "begun"));
  operate.hook("postAction", (_operate, command) => note(command, "done"));
}

function note(command: Command, state: "begun" | "done"): void {
  const act = nameOf(command);
  if (act === undefined || LOOK_ONLY.has(act)) return;
  const config = configOf(command.opts<OperatorOptions>());
  const { data } = config;
  // If there is no board, the command itself is about to say so.
  if (!placeOf(config).isThere()) return;
  const path = join(data, JOURNAL);
  const line = { time: iso(Date.now()), ...whoRuns(), act, arguments: command.args, ...flagsOf(command), state };
  try {
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    giveToOwnerOf(data, [path]);
  } catch (error) {
    // A full disk must not prevent a removal.
    const why = existsSync(data)
      ? (systemWords(error, data, "write") ?? (error as Error).message)
      : `There is no directory ${data}: give the directory of this node with --data.`;
    if (state === "begun") process.stderr.write(`warning: the command is not recorded in ${path}. ${why}\n`);
  }
}

/** The name with its group, as in `reports show`. A group alone does nothing. */
function nameOf(command: Command): string | undefined {
  if (command.commands.length > 0) return undefined;
  const { parent } = command;
  return parent === null || parent.name() === "operate" ? command.name() : `${parent.name()} ${command.name()}`;
}

function flagsOf(command: Command): { flags?: object } {
  const given = Object.entries(command.opts()).filter(([name]) => !NOT_NOTED.has(name) && command.getOptionValueSource(name) === "cli");
  return given.length === 0 ? {} : { flags: Object.fromEntries(given) };
}

/** The name of the system user, and of the user who became it with sudo. */
function whoRuns(): { user: string; sudo_user?: string } {
  const { SUDO_USER: before } = process.env;
  return { user: userName(), ...(before === undefined ? {} : { sudo_user: before }) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id without a name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
