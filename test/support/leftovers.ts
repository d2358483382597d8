// What must not outlive this process, such as processes, mounts and directories that it made: undone when it ends, the latest first.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const undone = new Set<() => void>();
let listening = false;

/** Returns what takes it off again, for whoever has undone it already. */
export function undoAtExit(undo: () => void): () => void {
  if (!listening) process.once("exit", undoAll);
  listening = true;
  undone.add(undo);
  return () => void undone.delete(undo);
}

function undoAll(): void {
  for (const undo of [...undone].toReversed())
    try {
      undo();
    } catch {
      // What is gone already; the others are undone all the same.
    }
}

const NOTE = "group-";

/** A group of processes of its own, which nothing that is sent to this one's reaches: the guard of the run ends it too. */
export function noteGroup(leader: number, directory = process.env["BOARD_TEST_RUN"]): void {
  if (directory !== undefined) writeFileSync(join(directory, `${NOTE}${leader}`), "");
  undoAtExit(() => process.kill(-leader, "SIGKILL"));
}

/** The leaders of the groups that are noted among these names. */
export const groupsIn = (names: readonly string[]): readonly number[] =>
  names.filter((name) => name.startsWith(NOTE)).map((name) => Number(name.slice(NOTE.length)));

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Signals end a process without its leaving: from now on they let it, after a last word. */
export function undoOnSignals(last: () => void): void {
  for (const [signal, code] of Object.entries(CODES))
    process.once(signal, () => {
      last();
      process.exit(code);
    });
}
