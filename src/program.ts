// The program: finds the command and turns its outcome into an exit code.
import { Command, CommanderError } from "commander";
import { programVersion } from "./adapters/system/package-files.ts";
import { ConfigFaults } from "./config.ts";
import { closestName } from "./core/text/did-you-mean.ts";
import { visible } from "./core/view/fence.ts";
import { exitCodeOf, failureText, firstFailure, REFUSED, USAGE } from "./cli/failure.ts";
import { refuseEmpty } from "./cli/empty-or-repeated-options.ts";
import { settingsHelp } from "./cli/board-setting-options.ts";

/** Words that are about the program itself. */
const ABOUT = new Set(["help", "-h", "--help", "-V", "--version"]);

/** Each command adds itself to the program, and is imported only when it is needed. A new command is its own file and one line here. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<(program: Command) => void>>>>> = {
  "Run a board:": {
    serve: async () => (await import("./cli/serve.ts")).serveCommand,
    demo: async () => (await import("./cli/demo/demo.ts")).demoCommand,
    operate: async () => (await import("./cli/operate/operate.ts")).operateCommand,
    copy: async () => (await import("./cli/operate/copy.ts")).copyCommand,
    healthcheck: async () => (await import("./cli/healthcheck.ts")).healthcheckCommand,
  },
  "Keep boards honest:": {
    witness: async () => (await import("./cli/witness/witness.ts")).witnessCommand,
    accuse: async () => (await import("./cli/accuse.ts")).accuseCommand,
  },
  "Act as an agent:": {
    keygen: async () => (await import("./cli/keygen.ts")).keygenCommand,
    whoami: async () => (await import("./cli/whoami.ts")).whoamiCommand,
    post: async () => (await import("./cli/post.ts")).postCommand,
    ask: async () => (await import("./cli/ask-or-task.ts")).askCommand,
    question: async () => (await import("./cli/ask-or-task.ts")).questionCommand,
    task: async () => (await import("./cli/ask-or-task.ts")).taskCommand,
    answer: async () => (await import("./cli/answer-reply-verify-refute.ts")).answerCommand,
    reply: async () => (await import("./cli/answer-reply-verify-refute.ts")).replyCommand,
    next: async () => (await import("./cli/next.ts")).nextCommand,
    claim: async () => (await import("./cli/claim.ts")).claimCommand,
    release: async () => (await import("./cli/release.ts")).releaseCommand,
    verify: async () => (await import("./cli/answer-reply-verify-refute.ts")).verifyCommand,
    refute: async () => (await import("./cli/answer-reply-verify-refute.ts")).refuteCommand,
    signal: async () => (await import("./cli/signal.ts")).signalCommand,
    resolve: async () => (await import("./cli/resolve.ts")).resolveCommand,
    supersede: async () => (await import("./cli/supersede.ts")).supersedeCommand,
    retract: async () => (await import("./cli/retract.ts")).retractCommand,
    report: async () => (await import("./cli/report.ts")).reportCommand,
    key: async () => (await import("./cli/key.ts")).keyCommand,
    alias: async () => (await import("./cli/alias.ts")).aliasCommand,
    courier: async () => (await import("./cli/courier.ts")).courierCommand,
    hook: async () => (await import("./cli/hook.ts")).hookCommand,
    mcp: async () => (await import("./cli/mcp/mcp.ts")).mcpCommand,
  },
  "Read a board:": {
    list: async () => (await import("./cli/list.ts")).listCommand,
    search: async () => (await import("./cli/search.ts")).searchCommand,
    similar: async () => (await import("./cli/similar.ts")).similarCommand,
    work: async () => (await import("./cli/work.ts")).workCommand,
    brief: async () => (await import("./cli/brief.ts")).briefCommand,
    inbox: async () => (await import("./cli/inbox.ts")).inboxCommand,
    ack: async () => (await import("./cli/ack.ts")).ackCommand,
    show: async () => (await import("./cli/show.ts")).showCommand,
    thread: async () => (await import("./cli/thread.ts")).threadCommand,
    attachment: async () => (await import("./cli/attachment.ts")).attachmentCommand,
    agents: async () => (await import("./cli/agents.ts")).agentsCommand,
    tags: async () => (await import("./cli/tags.ts")).tagsCommand,
    watch: async () => (await import("./cli/watch.ts")).watchCommand,
    changes: async () => (await import("./cli/changes.ts")).changesCommand,
    "verify-log": async () => (await import("./cli/verify-log.ts")).verifyLogCommand,
    "verify-head": async () => (await import("./cli/verify-head.ts")).verifyHeadCommand,
    "verify-receipt": async () => (await import("./cli/verify-receipt.ts")).verifyReceiptCommand,
  },
};

/** Runs the command and returns the exit code; 0 also if something keeps running, such as a server. */
export async function runProgram(given: readonly string[]): Promise<number> {
  const names = new Set(Object.values(COMMANDS).flatMap((group) => Object.keys(group)));
  if (given.length === 0) {
    // A bare `blackboard` must not start a server.
    process.stderr.write((await programWith(() => true)).helpInformation());
    return USAGE;
  }
  /** Flags without a command mean `serve`. */
  const isServe = (given[0] ?? "-").startsWith("-") && !ABOUT.has(given[0] ?? "");
  const [name = "", ...rest] = isServe ? ["serve", ...given] : given;
  if (!names.has(name) && !ABOUT.has(name)) {
    const meant = closestName(name, [...names]);
    const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
    process.stderr.write(visible(`There is no command ${JSON.stringify(name)}.${guess}\n`) + `All commands: blackboard help\n`);
    return USAGE;
  }
  // A harness continues a turn if its hook ends with 2. A mistyped flag must not cause that.
  const usage = name === "hook" ? REFUSED : USAGE;
  const program = await programWith((one) => !names.has(name) || one === name);
  try {
    await program.parseAsync([name, ...rest], { from: "user" });
    return 0;
  } catch (thrown) {
    const error = firstFailure(thrown);
    // Commander has already printed what is wrong with the usage, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage;
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
    .version(programVersion(), "-V, --version", "show the version")
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
