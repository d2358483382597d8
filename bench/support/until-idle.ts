// Waits until the threads of a server have no background work left.
import { setTimeout } from "node:timers/promises";
import { threadMs } from "./cpu-time.ts";

const BUSY_MS = 30;
const QUIET_SECONDS = 3;

export async function untilIdle(pid: number | undefined): Promise<void> {
  const spent = (): number => [...threadMs(pid).values()].reduce((sum, one) => sum + one, 0);
  for (let quiet = 0, last = spent(); quiet < QUIET_SECONDS;) {
    await setTimeout(1000);
    const now = spent();
    quiet = now - last < BUSY_MS ? quiet + 1 : 0;
    last = now;
  }
}
