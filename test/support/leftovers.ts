// What must not outlive this process, such as processes, mounts and directories that it made: undone when it ends, the latest first.

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

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Signals end a process without its leaving: from now on they let it, after a last word. */
export function undoOnSignals(last: () => void): void {
  for (const [signal, code] of Object.entries(CODES))
    process.once(signal, () => {
      last();
      process.exit(code);
    });
}
