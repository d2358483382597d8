// A process and its children that stand still for a moment.
import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "../../test/support/eventually.ts";

export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** When it resolves, none of them is in a system call any more; they go on when it is disposed of. */
export async function stopped(pid: number): Promise<Disposable> {
  // The parent first, so that there are no more children than those seen.
  await stop(pid);
  const children = childrenOf(pid);
  await Promise.all(children.map(stop));
  return {
    [Symbol.dispose]() {
      for (const one of [...children, pid]) process.kill(one, "SIGCONT");
    },
  };
}

async function stop(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await eventually("stillness", () => (/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")) ? true : undefined));
}
