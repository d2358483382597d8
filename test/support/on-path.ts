// Programs that a machine may have, found as a shell finds them.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Directories of daemons, which are not on the path of every user. */
const SYSTEM = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** All places on the path that have it, in the order of the path. */
export function allOnPath(name: string): readonly string[] {
  const directories = [...(process.env["PATH"] ?? "").split(delimiter).filter((one) => one !== ""), ...SYSTEM];
  return [...new Set(directories.map((directory) => join(directory, name)))].filter(canRun);
}

export const programOnPath = (name: string): string | undefined => allOnPath(name)[0];

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
