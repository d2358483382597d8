// Who did what at the operator's desk, and when: a file beside the board with two lines for each command, one before and one after it.
import { appendFileSync, existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { systemWords } from "../../adapters/system/access.ts";
import { iso } from "../../core/protocol/time.ts";
import { placeOf } from "../../storage/open.ts";
import { configOf, type DeskOptions } from "./operator-session.ts";
import { giveToOwnerOf } from "./owner.ts";

const JOURNAL = "operator.log";
/** They only look at what everybody may see, or at figures. */
const LOOK_ONLY = new Set(["stats", "check"]);
/** Facts may quote what was removed, and addresses hold passwords; where the board is goes without saying. */
const NOT_NOTED = new Set(["facts", "databaseUrl", "replacedUrl", "data", "keyFile", "baseUrl", "yes", "json"]);

/** Every act is noted, also those that leave nothing in the board's own log: switches, dismissed reports, reports that were read, backups. */
export function keepJournal(operate: Command): void {
  operate.hook("preAction", (_operate, command) => note(command, "begun"));
  operate.hook("postAction", (_operate, command) => note(command, "done"));
}

function note(command: Command, state: "begun" | "done"): void {
  const act = nameOf(command);
  if (act === undefined || LOOK_ONLY.has(act)) return;
  const config = configOf(command.opts<DeskOptions>());
  const { data } = config;
  // Where there is no board the command is about to say so.
  if (!placeOf(config).isThere()) return;
  const path = join(data, JOURNAL);
  const line = { time: iso(Date.now()), ...whoRuns(), act, arguments: command.args, ...flagsOf(command), state };
  try {
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    giveToOwnerOf(data, [path]);
  } catch (error) {
    // A full disk must not keep anybody from removing something.
    const why = existsSync(data)
      ? (systemWords(error, data, "write") ?? (error as Error).message)
      : `There is no directory ${data}: give that of this node with --data.`;
    if (state === "begun") process.stderr.write(`warning: nothing is noted in ${path}. ${why}\n`);
  }
}

/** With the group that it belongs to, as in `reports show`; the group by itself does nothing. */
function nameOf(command: Command): string | undefined {
  if (command.commands.length > 0) return undefined;
  const { parent } = command;
  return parent === null || parent.name() === "operate" ? command.name() : `${parent.name()} ${command.name()}`;
}

function flagsOf(command: Command): { flags?: object } {
  const given = Object.entries(command.opts()).filter(([name]) => !NOT_NOTED.has(name) && command.getOptionValueSource(name) === "cli");
  return given.length === 0 ? {} : { flags: Object.fromEntries(given) };
}

/** Whom the system knows them as, and who became that user by sudo. */
function whoRuns(): { user: string; sudo_user?: string } {
  const { SUDO_USER: before } = process.env;
  return { user: userName(), ...(before === undefined ? {} : { sudo_user: before }) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that has no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
