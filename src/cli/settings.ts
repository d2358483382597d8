// A board's settings on the command line: every flag goes to config.ts unread, so that all faults are told at once.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type Config, readConfig, SETTINGS } from "../config.ts";

/** Of the directory where the program is started. */
const ENV_FILE = ".env";

/** Makes a command take any flag, left in its `args`, and explain those that a board has. */
export function takesSettings(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments().usage("[flags]").addHelpText("after", settingsHelp());
}

/** `instead` stands in the place of variables of the environment. */
export function readSettings(flags: readonly string[], instead: Readonly<Record<string, string>> = {}): Config {
  loadEnvFile();
  return readConfig(flags, { ...process.env, ...instead });
}

/** What the file names and the environment does not; also for commands that read variables of others, such as PGPASSWORD. */
export function loadEnvFile(): void {
  if (!existsSync(ENV_FILE)) return;
  try {
    process.loadEnvFile(ENV_FILE);
  } catch {
    // Node.js says of a file that this user may not read that it does not exist.
    throw new Error(
      `The settings in ${resolve(ENV_FILE)} cannot be read. Run the command as the user that the board runs as, or in another directory.`,
    );
  }
}

export function settingsHelp(): string {
  const rows = Object.values(SETTINGS).map(
    ({ flag, variable, otherwise, words }) =>
      `  --${flag.padEnd(16)} ${variable.padEnd(22)} ${words}${otherwise === "" ? "" : ` (${otherwise})`}`,
  );
  return `\nFlags of a board; each has an environment variable, also read from ./.env:\n\n${rows.join("\n")}`;
}
