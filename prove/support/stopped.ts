// A process and its children that stand still for a moment.
import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "../../test/support/eventually.ts";
import { undoAtExit } from "../../test/support/leftovers.ts";

export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** When it resolves, none of them is in a system call any more; they go on when it is disposed of. */
export async function stopped(pid: number): Promise<Disposable> {
  // The parent first, so that there are no more children than those seen.
  const parent = await stop(pid);
  const children = await Promise.all(childrenOf(pid).map(stop));
  return {
    [Symbol.dispose]() {
      for (const goOn of [...children, parent]) goOn();
    },
  };
}

/** Resolves with what lets it go on. */
async function stop(pid: number): Promise<() => void> {
  process.kill(pid, "SIGSTOP");
  const goOn = () => process.kill(pid, "SIGCONT");
  // Who stands still cannot even end.
  const forget = undoAtExit(goOn);
  await eventually("stillness", () => (/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")) ? true : undefined));
  return () => {
    goOn();
    forget();
  };
}
