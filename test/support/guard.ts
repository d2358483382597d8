// Waits until its parent process has ended, for whatever reason; then ends the process groups listed in a directory and, on Linux, all other
// processes of that run, and deletes the directory.
import { globSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
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
  const homes = globSync("{,*/}pg-*", { cwd: REAL }).map((name) => join(REAL, name));
  // What works here is `initdb`. The server that it has started ends at the end of its input.
  for (const pid of processes()) if (homes.includes(placeOf(pid))) kill(pid, "SIGKILL");
  const running = (): readonly number[] => homes.map((home) => serverIn(join(home, "data"))).filter((pid) => pid !== 0);
  for (const pid of running()) if (pid > 0) kill(pid, "SIGQUIT");
  for (let i = 0; i < SERVER_PAUSES && running().length > 0; i++) await pause(PAUSE_MS);
}

/**
 * The server on these files, or 0; negative if it is one of `initdb`. Of one that was killed, the file remains, and another program may have
 * its number.
 */
function serverIn(data: string): number {
  try {
    const pid = Number.parseInt(readFileSync(join(data, "postmaster.pid"), "utf8"), 10);
    return placeOf(Math.abs(pid)) === data ? pid : 0;
  } catch {
    return 0;
  }
}

/** Those that work in the directory, or have it in their environment, whatever group they are in. */
const processesOfRun = (): readonly number[] =>
  processes().filter((pid) => `${placeOf(pid)}/`.startsWith(`${REAL}/`) || environmentOf(pid).includes(directory));

/** None where the system does not show them as files. */
const processes = (): readonly number[] => globSync("[0-9]*", { cwd: "/proc" }).map(Number);

/** Empty if the process has ended, or belongs to another user. */
function placeOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
