// The directory of a run: in memory if this machine has enough, because the thousand boards of a run sync to disk, and none of them is
// needed afterwards.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times the most that a run needs. */
const LEAST_FREE_BYTES = 4 * 1024 ** 3;

/**
 * Short, because sockets are in it and their paths have a small limit. PostgreSQL can enter it, which runs as another user if the tests run
 * as root.
 */
export function runDirectory(): string {
  const directory = (process.env["TMPDIR"] === undefined ? inMemory() : undefined) ?? made(tmpdir());
  chmodSync(directory, 0o711);
  return directory;
}

const made = (parent: string): string => mkdtempSync(join(parent, "bb-"));

function inMemory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < LEAST_FREE_BYTES) return undefined;
  let directory: string | undefined;
  try {
    directory = made(MEMORY);
    // Tests also put programs there, and not every machine runs programs from memory.
    const program = join(directory, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    execFileSync(program);
    rmSync(program);
    return directory;
  } catch {
    if (directory !== undefined) rmSync(directory, { recursive: true });
    return undefined;
  }
}
