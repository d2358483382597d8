// Directories for the board's files, made with their parents, or a sentence on why a place takes none.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { barred, systemWords } from "./access.ts";

/** The path itself, or the closest of its parents that there is. */
export function nearestExisting(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) || dirname(whole) === whole ? whole : nearestExisting(dirname(whole));
}

/** Why a new directory, or one that is there, cannot be at this path: a slip of the pen would otherwise begin another board. */
export function parentFault(path: string): string | undefined {
  const parent = dirname(resolve(path));
  if (existsSync(parent)) return undefined;
  return barred(parent, "read") ?? `there is no directory ${parent} to make it in; check the path, or make that directory first.`;
}

/** One by one: Node's own way to make parents too never ends where the system says of a place that is there that it is not, as in /proc. */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  const there = nearestExisting(path);
  for (let one = resolve(path); one !== there; one = dirname(one)) missing.unshift(one);
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch (error) {
      // Another process may have been quicker.
      if (statSync(one, { throwIfNoEntry: false })?.isDirectory() === true) continue;
      const parent = dirname(one);
      const why =
        systemWords(error, parent, "write") ?? `${parent} takes none (${(error as NodeJS.ErrnoException).code}). Choose another place.`;
      throw new Error(`The directory ${path} cannot be made: ${why}`, { cause: error });
    }
  }
}
