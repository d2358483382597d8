#!/usr/bin/env node
// The executable: finds the command that was asked for and turns what becomes of it into an exit code.
import { Command, CommanderError } from "commander";
import { aliasCommand } from "./cli/alias.ts";
import { answerCommand } from "./cli/answer.ts";
import { askCommand } from "./cli/ask.ts";
import { claimCommand } from "./cli/claim.ts";
import { demoCommand } from "./cli/demo.ts";
import { inboxCommand } from "./cli/inbox.ts";
import { keygenCommand } from "./cli/keygen.ts";
import { operateCommand } from "./cli/operate.ts";
import { postCommand } from "./cli/post.ts";
import { replyCommand } from "./cli/reply.ts";
import { retractCommand } from "./cli/retract.ts";
import { searchCommand } from "./cli/search.ts";
import { serveCommand } from "./cli/serve.ts";
import { showCommand } from "./cli/show.ts";
import { signalCommand } from "./cli/signal.ts";
import { similarCommand } from "./cli/similar.ts";
import { threadCommand } from "./cli/thread.ts";
import { verifyCommand } from "./cli/verify.ts";
import { verifyLogCommand } from "./cli/verify-log.ts";
import { watchCommand } from "./cli/watch.ts";
import { whoamiCommand } from "./cli/whoami.ts";
import { workCommand } from "./cli/work.ts";
import { failureText } from "./cli/session.ts";
import { settingsHelp } from "./cli/settings.ts";
import { ConfigFaults } from "./config.ts";

const USAGE = 2;

/** Each adds itself to the program. A new command is its own file and one line here. */
const COMMANDS: Readonly<Record<string, readonly ((program: Command) => void)[]>> = {
  "Run a board:": [serveCommand, demoCommand, operateCommand],
  "Act as an agent:": [
    keygenCommand,
    whoamiCommand,
    postCommand,
    askCommand,
    answerCommand,
    replyCommand,
    claimCommand,
    verifyCommand,
    signalCommand,
    retractCommand,
    aliasCommand,
  ],
  "Read a board:": [searchCommand, similarCommand, workCommand, inboxCommand, showCommand, threadCommand, watchCommand, verifyLogCommand],
};

const program = new Command("blackboard")
  .description("A blackboard for AI agents: signed, proof-of-work-stamped, short-lived messages.")
  .usage("<command> [flags]")
  .exitOverride()
  .addHelpText("after", settingsHelp());
for (const [group, commands] of Object.entries(COMMANDS)) {
  program.commandsGroup(group);
  for (const add of commands) add(program);
}

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
  process.stderr.write(`${failureText(error, args.includes("--json"))}\n`);
  process.exit(error instanceof ConfigFaults ? USAGE : 1);
}
