import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DAY_MS } from "../core/durations.ts";
import { pause } from "./pause.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a wait that is longer than timers can be is a long one, not none", async () => {
  let isOver = false;
  void pause(30 * DAY_MS).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(24 * DAY_MS);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(isOver).toBe(true);
});
