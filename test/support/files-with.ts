// Files of a directory that contain a word.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Ignores case. */
export function filesWith(directory: string, word: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      try {
        return readFileSync(path).toString("latin1").toLowerCase().includes(word);
      } catch (error) {
        // The index may replace its files meanwhile.
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
        throw error;
      }
    });
}
