// Replaces the machine's clock in a board process: the test sets the time.
import { ManualClock } from "./manual-clock.ts";

export const systemClock = new ManualClock(Number(process.env["BOARD_TEST_NOW"]));

process.on("message", (now: number) => {
  systemClock.set(now);
  process.send?.(now);
});
// The channel does not keep the process alive.
process.channel?.unref();
