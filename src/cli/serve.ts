// `blackboard serve`: runs a board until a signal stops it.
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import { fileFault } from "../adapters/sqlite/faults.ts";
import { databasePath } from "../adapters/sqlite/open.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { tellReady } from "../adapters/system/notify-systemd.ts";
import type { Running } from "../start.ts";
import { readSettings, takesSettings } from "./board-setting-options.ts";
import { unknownHere } from "./unknown-variables.ts";

const CLOSE_WITHIN_MS = 9000;

/**
 * By so much of what it keeps the memory of JavaScript may grow before it is cleaned up. Left to itself, it waits until there is as much
 * garbage as half a gigabyte, and then cleans up for so long that others notice.
 */
const GARBAGE_PERCENT = 100;

export function serveCommand(program: Command): void {
  const command = program.command("serve").description("run a board; flags without a command mean this");
  takesSettings(command).action(() => serve(command.args));
}

export async function serve(flags: readonly string[]): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  // Installed at once, so that a board that is stopped while it starts still closes its files.
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve());
  });
  let board: Running | undefined;
  // During the start nothing is to do, because the certificate is read anyway. Closing the terminal stops the board.
  if (!process.stdin.isTTY) process.on("SIGHUP", () => board?.reload());
  const config = readSettings(flags);
  // The server's code is loaded only by this command, so that the others start faster.
  const { start } = await import("../start.ts");
  const warnings = unknownHere().map(({ words }) => words);
  board = await start(config, { warnings, onFatal: () => process.exit(1) }).catch((error: unknown) => {
    throw fileFault(error, databasePath(config.data));
  });
  process.stdout.write(`blackboard ready at ${board.address}\n`);
  tellReady(process.env);
  await stopped;
  systemClock.at(systemClock.now() + CLOSE_WITHIN_MS, () => process.exit(0));
  await board.close();
  process.exit(0);
}
