// Preloaded into a board: writes to a file when its event loop was blocked for long, and how much of that time it ran or waited for a core.
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { waitedMs } from "./waited-for-core.ts";

const LOOK_EVERY_MS = 5;
const WORTH_NOTING_MS = 30;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
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
