// Waits until its parent process has ended, for whatever reason; then ends the process groups listed in a directory and, on Linux, all other
// processes of that run, and deletes the directory.
import { globSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { groupsIn } from "./leftovers.ts";

const [directory = ""] = process.argv.slice(2);
/** Its name for the system. */
const REAL = realpathSync(directory);
/** Deleting is retried, because a process that was just killed may still write there. */
const RETRIES = 20;
const PAUSE_MS = 50;
/** A server that does not end by then was stopped, or hangs. */
const SERVER_PAUSES = 600;

process.stdin.resume().once("end", () => void clean());

async function clean(): Promise<void> {
  const groups = groupsIn(readdirSync(directory));
  // First the runners alone, so that nothing new begins.
  for (const leader of groups) kill(leader, "SIGKILL");
  await endServers();
  for (const group of groups) kill(-group, "SIGKILL");
  // A process may have started another one meanwhile.
  for (let i = 0; i < RETRIES; i++) {
    const left = processesOfRun();
    if (left.length === 0) break;
    for (const pid of left) kill(pid, "SIGKILL");
    await pause(PAUSE_MS);
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES });
}

/** PostgreSQL leaves memory of the system behind if it is killed: it ends at once, but by itself. */
async function endServers(): Promise<void> {
  const files = globSync("{,*/}pg-*/data/postmaster.pid", { cwd: REAL }).map((name) => join(REAL, name));
  const running = (): readonly number[] => files.map(serverOf).filter((pid) => pid !== undefined);
  for (const pid of running()) kill(pid, "SIGQUIT");
  for (let i = 0; i < SERVER_PAUSES && running().length > 0; i++) await pause(PAUSE_MS);
}

/** The server whose file this is. Of one that was killed, the file remains, and another program may have its number. */
function serverOf(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return readlinkSync(`/proc/${pid}/cwd`) === dirname(file) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Those that work in the directory, or have it in their environment, whatever group they are in. */
function processesOfRun(): readonly number[] {
  const others = globSync("[0-9]*", { cwd: "/proc" }).map(Number);
  return others.filter((pid) => {
    try {
      const place = readlinkSync(`/proc/${pid}/cwd`);
      return `${place}/`.startsWith(`${REAL}/`) || readFileSync(`/proc/${pid}/environ`, "utf8").includes(directory);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
