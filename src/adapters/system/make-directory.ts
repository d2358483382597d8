// Creates directories for the board's files, with their parents, or explains why a place cannot have one.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { barred, systemWords } from "./file-access-errors.ts";

/** The path itself, or its closest existing parent. */
export function nearestExisting(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) || dirname(whole) === whole ? whole : nearestExisting(dirname(whole));
}

/** Why there cannot be a directory at this path: a typo would otherwise start another board. */
export function parentFault(path: string): string | undefined {
  const parent = dirname(resolve(path));
  if (existsSync(parent)) return undefined;
  return barred(parent, "read") ?? `there is no directory ${parent} to make it in; check the path, or make that directory first.`;
}

/** One by one: Node's recursive mkdir never ends if the system says of an existing place that it does not exist, as in /proc. */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  const there = nearestExisting(path);
  for (let one = resolve(path); one !== there; one = dirname(one)) missing.unshift(one);
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch (error) {
      // Another process may have been faster.
      if (statSync(one, { throwIfNoEntry: false })?.isDirectory() === true) continue;
      const parent = dirname(one);
      const why =
        systemWords(error, parent, "write") ??
        `${parent} does not allow it (${(error as NodeJS.ErrnoException).code}). Choose another place.`;
      throw new Error(`The directory ${path} cannot be made: ${why}`, { cause: error });
    }
  }
}
