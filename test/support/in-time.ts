// Requests something that a board signs at most once a second, with a clock that the test moves.
import type { TestBoard } from "./board.ts";
import { HANG_MS } from "./eventually.ts";

/** Moves time until there is an answer. */
export async function inTime<Result>(board: TestBoard, ask: () => Promise<Result>): Promise<Result> {
  const state = { done: false };
  const asked = ask().finally(() => (state.done = true));
  const until = performance.now() + HANG_MS;
  while (!state.done && performance.now() < until) {
    board.clock.advance(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return asked;
}
