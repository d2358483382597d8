// Stops a process and its children for a moment.
import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "../../test/support/eventually.ts";
import { undoAtExit } from "../../test/support/leftovers.ts";

export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** When it resolves, none of them is in a system call any more. They continue when it is disposed of. */
export async function stopped(pid: number): Promise<Disposable> {
  // The parent first, so that it starts no more children.
  const parent = await stop(pid);
  const children = await Promise.all(childrenOf(pid).map(stop));
  return {
    [Symbol.dispose]() {
      for (const goOn of [...children, parent]) goOn();
    },
  };
}

/** Resolves with a function that lets the process continue. */
async function stop(pid: number): Promise<() => void> {
  process.kill(pid, "SIGSTOP");
  const goOn = () => process.kill(pid, "SIGCONT");
  // A stopped process cannot end, so it must continue before this process exits.
  const forget = undoAtExit(goOn);
  await eventually("stillness", () => (/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")) ? true : undefined));
  return () => {
    goOn();
    forget();
  };
}
