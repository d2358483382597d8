// Preloaded into a board: notes in a file each time its event loop was held for long, and how much of that was processor time of its thread.
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const LOOK_EVERY_MS = 5;
const WORTH_NOTING_MS = 30;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const file = process.env["LOOP_WATCH"];
if (isMainThread && file !== undefined) {
  let [at, cpu] = [performance.now(), cpuMs()];
  setInterval(() => {
    const [now, cpuNow] = [performance.now(), cpuMs()];
    const note = { end: performance.timeOrigin + now, ms: now - at, cpuMs: cpuNow - cpu };
    if (note.ms > WORTH_NOTING_MS) appendFileSync(file, `${JSON.stringify(note)}\n`);
    [at, cpu] = [performance.now(), cpuMs()];
  }, LOOK_EVERY_MS).unref();
}
