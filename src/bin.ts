#!/usr/bin/env node
// The executable: reads the command line, runs the board, and ends it when asked to.
import { existsSync } from "node:fs";
import { ConfigFaults, readConfig, SETTINGS } from "./config.ts";
import { start } from "./start.ts";

const CLOSE_WITHIN_MS = 9000;

const [first = "serve", ...rest] = process.argv.slice(2);
/** Running a board is what flags without a command mean. */
const [command, args] = first.startsWith("-") ? ["serve", [first, ...rest]] : [first, rest];

if (command === "help" || args.includes("--help") || args.includes("-h")) process.stdout.write(help());
else if (command === "serve") await serve(args);
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
    if (existsSync(".env")) process.loadEnvFile(".env");
    const board = await start(readConfig(flags, process.env), { onFatal: () => process.exit(1) });
    process.stdout.write(`blackboard ready at ${board.address}\n`);
    await told;
    setTimeout(() => process.exit(0), CLOSE_WITHIN_MS).unref();
    await board.close();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(error instanceof ConfigFaults ? 2 : 1);
  }
}

function help(): string {
  const rows = Object.values(SETTINGS).map(
    ({ flag, variable, otherwise, words }) =>
      `  --${flag.padEnd(16)} ${variable.padEnd(22)} ${words}${otherwise === "" ? "" : ` (${otherwise})`}`,
  );
  return `blackboard serve [flags]\n\nRuns a board. Each flag has an environment variable, also read from ./.env:\n\n${rows.join("\n")}\n`;
}
