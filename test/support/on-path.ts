// Programs that a machine may have or not, found as a shell finds them.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where daemons are installed, which is not on the path of every user. */
const SYSTEM = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Every place of the path that has it, the first one first. */
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
