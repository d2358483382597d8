// Fills a directory completely or not at all: if that fails or is interrupted, nothing is left.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemWords } from "../../adapters/system/file-access-errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Files that were in the directory before stay. */
export async function allOrNothing<Result>(dir: string, fill: () => Promise<Result>): Promise<Result> {
  const before = existsSync(dir) ? new Set(readdirSync(dir)) : undefined;
  const undo = (): void => {
    const added = before === undefined ? [dir] : readdirSync(dir).flatMap((name) => (before.has(name) ? [] : [join(dir, name)]));
    for (const path of added) rmSync(path, { recursive: true, force: true });
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    undo();
    for (const one of SIGNALS) process.off(one, interrupted);
    // Without the listeners, the signal ends the process at once, whatever its threads are doing.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    return await fill();
  } catch (error) {
    undo();
    const words = systemWords(error, dir, "write");
    throw words === undefined ? error : new Error(words, { cause: error });
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}
