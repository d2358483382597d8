// Preloaded into a board: notes in a file each time its event loop was held for long, and how much of that the machine was busy with others.
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const LOOK_EVERY_MS = 5;
const WORTH_NOTING_MS = 30;

/** Nanoseconds that this thread, the process's first, was ready to run and did not get a core. */
function waitedNs(): number {
  try {
    return Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, "latin1").split(" ")[1]);
  } catch {
    return 0;
  }
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const file = process.env["LOOP_WATCH"];
if (isMainThread && file !== undefined) {
  let [at, cpu, waited] = [performance.now(), cpuMs(), waitedNs()];
  setInterval(() => {
    const now = performance.now();
    const ms = now - at;
    const [cpuNow, waitedNow] = [cpuMs(), waitedNs()];
    if (ms > WORTH_NOTING_MS)
      appendFileSync(
        file,
        `${JSON.stringify({ end: performance.timeOrigin + now, ms, cpuMs: cpuNow - cpu, waitedMs: (waitedNow - waited) / 1e6 })}\n`,
      );
    [at, cpu, waited] = [performance.now(), cpuNow, waitedNow];
  }, LOOK_EVERY_MS).unref();
}
