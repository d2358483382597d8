// Preloaded into a board: notes in a file when its event loop was held for long, and how much of that it ran, or waited for a core.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const LOOK_EVERY_MS = 5;
const WORTH_NOTING_MS = 30;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const SCHEDULED = "/proc/thread-self/schedstat";

/** Of this thread, so far: it was ready to run, and others were running. 0 where the system does not tell. */
function waitedMs(): number {
  return existsSync(SCHEDULED) ? Number(readFileSync(SCHEDULED, "utf8").split(" ")[1]) / 1e6 : 0;
}

const file = process.env["LOOP_WATCH"];
if (isMainThread && file !== undefined) {
  let [at, cpu, waited] = [performance.now(), cpuMs(), waitedMs()];
  setInterval(() => {
    const now = performance.now();
    const note = { end: performance.timeOrigin + now, ms: now - at, cpuMs: cpuMs() - cpu, waitedMs: waitedMs() - waited };
    if (note.ms > WORTH_NOTING_MS) appendFileSync(file, `${JSON.stringify(note)}\n`);
    [at, cpu, waited] = [performance.now(), cpuMs(), waitedMs()];
  }, LOOK_EVERY_MS).unref();
}
