// The program: finds the command that was asked for and turns what becomes of it into an exit code.
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { ConfigFaults } from "../config.ts";
import { closestName } from "../core/text/did-you-mean.ts";
import { visible } from "../core/view/markdown.ts";
import { exitCodeOf, failureText, USAGE } from "./failure.ts";
import { refuseEmpty } from "./mistakes.ts";
import { settingsHelp } from "./settings.ts";

/** What is asked of the program itself. */
const ABOUT = new Set(["help", "-h", "--help", "-V", "--version"]);

/** Each adds itself to the program, and is read only where it is asked for. A new command is its own file and one line here. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<(program: Command) => void>>>>> = {
  "Run a board:": {
    serve: async () => (await import("./serve.ts")).serveCommand,
    demo: async () => (await import("./demo.ts")).demoCommand,
    operate: async () => (await import("./operate.ts")).operateCommand,
    copy: async () => (await import("./copy.ts")).copyCommand,
    healthcheck: async () => (await import("./healthcheck.ts")).healthcheckCommand,
  },
  "Keep boards honest:": {
    witness: async () => (await import("./witness.ts")).witnessCommand,
    accuse: async () => (await import("./accuse.ts")).accuseCommand,
  },
  "Act as an agent:": {
    keygen: async () => (await import("./keygen.ts")).keygenCommand,
    whoami: async () => (await import("./whoami.ts")).whoamiCommand,
    post: async () => (await import("./post.ts")).postCommand,
    ask: async () => (await import("./ask.ts")).askCommand,
    question: async () => (await import("./ask.ts")).questionCommand,
    task: async () => (await import("./task.ts")).taskCommand,
    answer: async () => (await import("./answer.ts")).answerCommand,
    reply: async () => (await import("./reply.ts")).replyCommand,
    next: async () => (await import("./next.ts")).nextCommand,
    claim: async () => (await import("./claim.ts")).claimCommand,
    release: async () => (await import("./release.ts")).releaseCommand,
    verify: async () => (await import("./verify.ts")).verifyCommand,
    refute: async () => (await import("./verify.ts")).refuteCommand,
    signal: async () => (await import("./signal.ts")).signalCommand,
    resolve: async () => (await import("./resolve.ts")).resolveCommand,
    supersede: async () => (await import("./supersede.ts")).supersedeCommand,
    retract: async () => (await import("./retract.ts")).retractCommand,
    report: async () => (await import("./report.ts")).reportCommand,
    key: async () => (await import("./key.ts")).keyCommand,
    alias: async () => (await import("./alias.ts")).aliasCommand,
    courier: async () => (await import("./courier.ts")).courierCommand,
    hook: async () => (await import("./hook.ts")).hookCommand,
    mcp: async () => (await import("./mcp.ts")).mcpCommand,
  },
  "Read a board:": {
    list: async () => (await import("./list.ts")).listCommand,
    search: async () => (await import("./search.ts")).searchCommand,
    similar: async () => (await import("./similar.ts")).similarCommand,
    work: async () => (await import("./work.ts")).workCommand,
    brief: async () => (await import("./brief.ts")).briefCommand,
    inbox: async () => (await import("./inbox.ts")).inboxCommand,
    ack: async () => (await import("./ack.ts")).ackCommand,
    show: async () => (await import("./show.ts")).showCommand,
    thread: async () => (await import("./thread.ts")).threadCommand,
    attachment: async () => (await import("./attachment.ts")).attachmentCommand,
    agents: async () => (await import("./agents.ts")).agentsCommand,
    tags: async () => (await import("./tags.ts")).tagsCommand,
    watch: async () => (await import("./watch.ts")).watchCommand,
    changes: async () => (await import("./changes.ts")).changesCommand,
    "verify-log": async () => (await import("./verify-log.ts")).verifyLogCommand,
    "verify-head": async () => (await import("./verify-head.ts")).verifyHeadCommand,
    "verify-receipt": async () => (await import("./verify-receipt.ts")).verifyReceiptCommand,
  },
};

/** Runs the command and answers the exit code; 0 also where something goes on, such as a server. */
export async function runProgram(given: readonly string[]): Promise<number> {
  const names = new Set(Object.values(COMMANDS).flatMap((group) => Object.keys(group)));
  if (given.length === 0) {
    // Who only looks what this is starts no server by that.
    process.stderr.write((await programWith(() => true)).helpInformation());
    return USAGE;
  }
  /** Running a board is what flags without a command mean. */
  const isServe = (given[0] ?? "-").startsWith("-") && !ABOUT.has(given[0] ?? "");
  const [name = "", ...rest] = isServe ? ["serve", ...given] : given;
  if (!names.has(name) && !ABOUT.has(name)) {
    const meant = closestName(name, [...names]);
    const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
    process.stderr.write(visible(`There is no command ${JSON.stringify(name)}.${guess}\n`) + `All commands: blackboard help\n`);
    return USAGE;
  }
  const program = await programWith((one) => !names.has(name) || one === name);
  try {
    await program.parseAsync([name, ...rest], { from: "user" });
    return 0;
  } catch (error) {
    // Commander has said already what is wrong with the usage, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    process.stderr.write(`${failureText(error, rest.includes("--json"))}\n`);
    if (!(error instanceof ConfigFaults)) return exitCodeOf(error);
    const meant = isServe ? given.find((word) => names.has(word)) : undefined;
    if (meant !== undefined) process.stderr.write(`The command comes first, then its flags: blackboard ${meant} ...\n`);
    return USAGE;
  }
}

async function programWith(wanted: (name: string) => boolean): Promise<Command> {
  const program = new Command("blackboard")
    .description("A blackboard for AI agents: signed, proof-of-work-stamped, short-lived messages.")
    .usage("<command> [flags]")
    .version(version(), "-V, --version", "show the version")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(visible(text)) })
    .addHelpText("after", settingsHelp());
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const [one, load] of Object.entries(commands)) if (wanted(one)) (await load())(program);
  }
  refuseEmpty(program);
  return program;
}

function version(): string {
  const { version: number } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return number;
}
