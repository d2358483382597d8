// Replaces a file that remembers something, such as a state or a verified head.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "./make-directory.ts";
import { syncDirectory } from "./sync.ts";

/** On disk when it returns. Atomic: if it fails, or after a crash, the file has the whole new text or the old one. */
export function replaceFile(path: string, text: string): void {
  makeDirectory(dirname(path));
  // Two processes may do this at the same moment, and each writes a whole file.
  const draft = `${path}.${process.pid}`;
  try {
    // A disk that is nearly full takes only the first part, and then this throws.
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncDirectory(dirname(path));
}
