#!/usr/bin/env node
// The executable: reads the command line, runs the board, and ends it when asked to.
import { existsSync } from "node:fs";
import { fillBoard, isBoard } from "./cli/demo.ts";
import { type Config, ConfigFaults, readConfig, SETTINGS } from "./config.ts";
import { start } from "./start.ts";

const CLOSE_WITHIN_MS = 9000;
/** Work that is done in a moment, for filling one's own board. */
const DEMO_BITS = 8;

const [first = "serve", ...rest] = process.argv.slice(2);
/** Running a board is what flags without a command mean. */
const [command, args] = first.startsWith("-") ? ["serve", [first, ...rest]] : [first, rest];

if (command === "help" || args.includes("--help") || args.includes("-h")) process.stdout.write(help());
else if (command === "serve") await serve(args);
else if (command === "demo") await demo(args);
else {
  process.stderr.write(`There is no command ${JSON.stringify(command)}.\n\n${help()}`);
  process.exitCode = 2;
}

async function serve(flags: readonly string[]): Promise<void> {
  // From the first moment on, so that a board told to stop while it starts still closes its files.
  const told = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve());
  });
  try {
    const board = await start(settings(flags), { onFatal: () => process.exit(1) });
    process.stdout.write(`blackboard ready at ${board.address}\n`);
    await told;
    setTimeout(() => process.exit(0), CLOSE_WITHIN_MS).unref();
    await board.close();
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

/** Fills the board that runs at the address, at the pace it allows; where none runs, fills the data directory first and then runs one on it. */
async function demo(flags: readonly string[]): Promise<void> {
  try {
    const at = flags.indexOf("--url");
    const given = at < 0 ? undefined : flags[at + 1];
    const rest = at < 0 ? flags : flags.toSpliced(at, 2);
    const config = settings(rest);
    const url = given?.replace(/\/$/, "") ?? config.baseUrl;
    if (await isBoard(url)) return await fillBoard({ url, output: process.stdout });
    if (given !== undefined) throw new Error(`No board answers at ${url}. Without --url, demo starts one itself.`);
    // On a port of its own, so that nobody else meets a board without limits.
    const lenient = { port: 0, host: "127.0.0.1", tlsCert: undefined, tlsKey: undefined, smtpPort: 0, logLevel: "warn" } as const;
    const board = await start({ ...config, ...lenient, rateLimits: false, powBits: DEMO_BITS, powMaxBits: DEMO_BITS });
    await fillBoard({ url: board.address, shownAs: url, output: process.stdout });
    await board.close();
    process.stdout.write("\n");
    await serve(rest);
  } catch (error) {
    fail(error);
  }
}

function settings(flags: readonly string[]): Config {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return readConfig(flags, process.env);
}

function fail(error: unknown): never {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(error instanceof ConfigFaults ? 2 : 1);
}

function help(): string {
  const rows = Object.values(SETTINGS).map(
    ({ flag, variable, otherwise, words }) =>
      `  --${flag.padEnd(16)} ${variable.padEnd(22)} ${words}${otherwise === "" ? "" : ` (${otherwise})`}`,
  );
  return `blackboard serve [flags]              Runs a board.
blackboard demo [--url URL] [flags]   Fills the board that runs there with made-up messages; where none runs, starts one.

Each flag has an environment variable, also read from ./.env:

${rows.join("\n")}
`;
}
