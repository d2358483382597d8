// In a board process, in the place of the machine's clock: the time is what the test says it is.
import { ManualClock } from "./manual-clock.ts";

export const systemClock = new ManualClock(Number(process.env["BOARD_TEST_NOW"]));

process.on("message", (now: number) => {
  systemClock.set(now);
  process.send?.(now);
});
// Listening for the time is no reason to stay.
process.channel?.unref();
