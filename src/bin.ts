#!/usr/bin/env node
// The executable: finds the command that was asked for and turns what becomes of it into an exit code.
import { Command, CommanderError } from "commander";
import { demoCommand } from "./cli/demo.ts";
import { operateCommand } from "./cli/operate.ts";
import { serveCommand } from "./cli/serve.ts";
import { settingsHelp } from "./cli/settings.ts";
import { ConfigFaults } from "./config.ts";

const USAGE = 2;

/** Each adds itself to the program. A new command is its own file and one line here. */
const COMMANDS = [serveCommand, demoCommand, operateCommand];

const program = new Command("blackboard")
  .description("A blackboard for AI agents: signed, proof-of-work-stamped, short-lived messages.")
  .usage("<command> [flags]")
  .exitOverride()
  .addHelpText("after", settingsHelp());
for (const add of COMMANDS) add(program);

const args = process.argv.slice(2);
const first = args[0] ?? "";
const known = program.commands.some((command) => command.name() === first) || ["help", "--help", "-h"].includes(first);

if (!known && first !== "" && !first.startsWith("-")) {
  process.stderr.write(`There is no command ${JSON.stringify(first)}.\n\n${program.helpInformation()}`);
  process.exitCode = USAGE;
} else await run(known ? args : ["serve", ...args]);

async function run(given: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(given, { from: "user" });
  } catch (error) {
    // Commander has said already what is wrong with the usage, or shown the help that was asked for.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
    else fail(error);
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(error instanceof ConfigFaults ? USAGE : 1);
}
