// The last signed head in a file of its own: written whole, synced and renamed into place.
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Checkpoint } from "../../core/log/checkpoint.ts";
import type { HeadRecord } from "../../ports/head-record.ts";

export function headFile(path: string): HeadRecord {
  return {
    async read() {
      try {
        return JSON.parse(await readFile(path, "utf8")) as Checkpoint;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw new Error(
          `The head file ${path} cannot be read: ${(error as Error).message}. Restore it, or move it away if the board is meant to start anew.`,
          { cause: error },
        );
      }
    },
    async write(checkpoint) {
      const next = `${path}.next`;
      await synced(next, "w", `${JSON.stringify(checkpoint)}\n`);
      // A crash here leaves the old head in place, and nobody has seen the new one.
      await rename(next, path);
      await synced(dirname(path), "r");
      return checkpoint;
    },
  };
}

async function synced(path: string, flags: string, text?: string): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
