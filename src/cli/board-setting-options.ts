// A board's settings on the command line: all flags go to config.ts unchecked, which then reports all mistakes at once.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type Config, readConfig, SETTINGS } from "../config.ts";

/** In the directory where the program is started. */
const ENV_FILE = ".env";

/** Makes a command accept any flag, left in its `args`, and list the flags of a board in its help. */
export function takesSettings(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments().usage("[flags]").addHelpText("after", settingsHelp());
}

/** `instead` replaces variables of the environment. */
export function readSettings(flags: readonly string[], instead: Readonly<Record<string, string>> = {}): Config {
  loadEnvFile();
  return readConfig(flags, { ...process.env, ...instead });
}

/** Variables that are in the file and not in the environment; also for variables of other programs, such as PGPASSWORD. */
export function loadEnvFile(): void {
  if (!existsSync(ENV_FILE)) return;
  try {
    process.loadEnvFile(ENV_FILE);
  } catch {
    // If the user may not read the file, Node.js reports that it does not exist.
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
