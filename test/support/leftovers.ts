// Cleans up when this process ends: processes, mounts and directories that it made, the latest first.
import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const undone = new Set<() => void>();
let listening = false;

/** Returns a function that removes the entry again, for callers that have cleaned up already. */
export function undoAtExit(undo: () => void): () => void {
  if (!listening) process.once("exit", undoAll);
  listening = true;
  undone.add(undo);
  return () => void undone.delete(undo);
}

/** For a child process that must not outlive this one. */
export function killAtExit(child: ChildProcess): void {
  child.once(
    "exit",
    undoAtExit(() => child.kill("SIGKILL")),
  );
}

function undoAll(): void {
  for (const undo of [...undone].toReversed())
    try {
      undo();
    } catch {
      // It is gone already; the others are still cleaned up.
    }
}

const NOTE = "group-";

/** A separate process group does not get signals that are sent to this one's group, so the guard of the run ends it too. */
export function noteGroup(leader: number, directory = process.env["BOARD_TEST_RUN"]): void {
  if (directory !== undefined) writeFileSync(join(directory, `${NOTE}${leader}`), "");
  undoAtExit(() => process.kill(-leader, "SIGKILL"));
}

/** The group leaders among these file names. */
export const groupsIn = (names: readonly string[]): readonly number[] =>
  names.filter((name) => name.startsWith(NOTE)).map((name) => Number(name.slice(NOTE.length)));

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** A signal normally ends a process without its exit handlers. From now on they run, after `last`. */
export function undoOnSignals(last: () => void): void {
  for (const [signal, code] of Object.entries(CODES))
    process.once(signal, () => {
      last();
      process.exit(code);
    });
}
