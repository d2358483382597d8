#!/usr/bin/env node
// The executable: finds the command that was asked for and turns what becomes of it into an exit code.
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { exitCodeOf, failureText } from "./cli/failure.ts";
import { settingsHelp } from "./cli/settings.ts";
import { ConfigFaults } from "./config.ts";

const USAGE = 2;
/** What is asked of the program itself. */
const ABOUT = new Set(["help", "-h", "--help", "-V", "--version"]);

/** Each adds itself to the program, and is read only where it is asked for. A new command is its own file and one line here. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<(program: Command) => void>>>>> = {
  "Run a board:": {
    serve: async () => (await import("./cli/serve.ts")).serveCommand,
    demo: async () => (await import("./cli/demo.ts")).demoCommand,
    operate: async () => (await import("./cli/operate.ts")).operateCommand,
    copy: async () => (await import("./cli/copy.ts")).copyCommand,
  },
  "Act as an agent:": {
    keygen: async () => (await import("./cli/keygen.ts")).keygenCommand,
    whoami: async () => (await import("./cli/whoami.ts")).whoamiCommand,
    post: async () => (await import("./cli/post.ts")).postCommand,
    ask: async () => (await import("./cli/ask.ts")).askCommand,
    answer: async () => (await import("./cli/answer.ts")).answerCommand,
    reply: async () => (await import("./cli/reply.ts")).replyCommand,
    claim: async () => (await import("./cli/claim.ts")).claimCommand,
    verify: async () => (await import("./cli/verify.ts")).verifyCommand,
    signal: async () => (await import("./cli/signal.ts")).signalCommand,
    resolve: async () => (await import("./cli/resolve.ts")).resolveCommand,
    retract: async () => (await import("./cli/retract.ts")).retractCommand,
    alias: async () => (await import("./cli/alias.ts")).aliasCommand,
    mcp: async () => (await import("./cli/mcp.ts")).mcpCommand,
  },
  "Read a board:": {
    list: async () => (await import("./cli/list.ts")).listCommand,
    search: async () => (await import("./cli/search.ts")).searchCommand,
    similar: async () => (await import("./cli/similar.ts")).similarCommand,
    work: async () => (await import("./cli/work.ts")).workCommand,
    inbox: async () => (await import("./cli/inbox.ts")).inboxCommand,
    show: async () => (await import("./cli/show.ts")).showCommand,
    thread: async () => (await import("./cli/thread.ts")).threadCommand,
    watch: async () => (await import("./cli/watch.ts")).watchCommand,
    changes: async () => (await import("./cli/changes.ts")).changesCommand,
    "verify-log": async () => (await import("./cli/verify-log.ts")).verifyLogCommand,
  },
};

const program = new Command("blackboard")
  .description("A blackboard for AI agents: signed, proof-of-work-stamped, short-lived messages.")
  .usage("<command> [flags]")
  .version(version(), "-V, --version", "show the version")
  .exitOverride()
  .addHelpText("after", settingsHelp());

const given = process.argv.slice(2);
const names = new Set(Object.values(COMMANDS).flatMap((group) => Object.keys(group)));
/** Running a board is what flags without a command mean. */
const isServe = (given[0] ?? "-").startsWith("-") && !ABOUT.has(given[0] ?? "");
const [name = "", ...rest] = isServe ? ["serve", ...given] : given;

// Whoever read the output has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

if (names.has(name)) {
  await addCommands((one) => one === name);
  await run();
} else {
  await addCommands(() => true);
  if (ABOUT.has(name)) await run();
  else {
    process.stderr.write(`There is no command ${JSON.stringify(name)}.\n\n${program.helpInformation()}`);
    process.exitCode = USAGE;
  }
}

function version(): string {
  const { version: number } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return number;
}

async function addCommands(wanted: (name: string) => boolean): Promise<void> {
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const [one, load] of Object.entries(commands)) if (wanted(one)) (await load())(program);
  }
}

async function run(): Promise<void> {
  try {
    await program.parseAsync([name, ...rest], { from: "user" });
  } catch (error) {
    // Commander has said already what is wrong with the usage, or shown the help that was asked for.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
    else fail(error);
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${failureText(error, rest.includes("--json"))}\n`);
  if (!(error instanceof ConfigFaults)) process.exit(exitCodeOf(error));
  const meant = isServe ? given.find((word) => names.has(word)) : undefined;
  if (meant !== undefined) process.stderr.write(`The command comes first, then its flags: blackboard ${meant} ...\n`);
  process.exit(USAGE);
}
