#!/usr/bin/env node
// The executable: reads the command line, runs the board, and ends it when asked to.
import { existsSync } from "node:fs";
import { ConfigFaults, readConfig, SETTINGS } from "./config.ts";
import { start } from "./start.ts";

const CLOSE_WITHIN_MS = 9000;

const [command = "serve", ...args] = process.argv.slice(2);

if (command === "serve" && !args.includes("--help")) await serve(args);
else if (command === "--help" || command === "help" || command === "serve") process.stdout.write(help());
else {
  process.stderr.write(`There is no command ${JSON.stringify(command)}.\n\n${help()}`);
  process.exitCode = 2;
}

async function serve(flags: readonly string[]): Promise<void> {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env");
    const board = await start(readConfig(flags, process.env), { onFatal: () => process.exit(1) });
    let closing = false;
    const close = (): void => {
      if (closing) return;
      closing = true;
      setTimeout(() => process.exit(0), CLOSE_WITHIN_MS).unref();
      void board.close().then(() => process.exit(0));
    };
    process.on("SIGTERM", close).on("SIGINT", close);
    process.stdout.write(`blackboard ready at ${board.address}\n`);
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
