// The directory of a run: in memory where this machine has enough of it, for the thousand boards of a run are written to disk with care, and none of them is to be kept.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times what a run has there at its fullest moment. */
const ROOM = 4 * 1024 ** 3;

/** Short, because sockets lie in it and their paths may not be long; entered by PostgreSQL, which runs as another user where root runs this. */
export function runDirectory(): string {
  const directory = (process.env["TMPDIR"] === undefined ? inMemory() : undefined) ?? made(tmpdir());
  chmodSync(directory, 0o711);
  return directory;
}

const made = (parent: string): string => mkdtempSync(join(parent, "bb-"));

function inMemory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ROOM) return undefined;
  let directory: string | undefined;
  try {
    directory = made(MEMORY);
    // Tests also put programs there, which not every machine runs from memory.
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
