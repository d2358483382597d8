// A board's settings on the command line: every flag goes to config.ts unread, so that all faults are told at once.
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Config, readConfig, SETTINGS } from "../config.ts";

/** Makes a command take any flag, left in its `args`, and explain those that a board has. */
export function takesSettings(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments().usage("[flags]").addHelpText("after", settingsHelp());
}

/** `instead` stands in the place of variables of the environment. */
export function readSettings(flags: readonly string[], instead: Readonly<Record<string, string>> = {}): Config {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return readConfig(flags, { ...process.env, ...instead });
}

export function settingsHelp(): string {
  const rows = Object.values(SETTINGS).map(
    ({ flag, variable, otherwise, words }) =>
      `  --${flag.padEnd(16)} ${variable.padEnd(22)} ${words}${otherwise === "" ? "" : ` (${otherwise})`}`,
  );
  return `\nFlags of a board; each has an environment variable, also read from ./.env:\n\n${rows.join("\n")}`;
}
