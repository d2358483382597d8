// A board that was reset counts from one again. A reader that continued from its old position would wait without end.
import { BoardError } from "./board-error.ts";

/** Throws `future_cursor`, as a stream does, if the newest entry is older than the last one that the reader has seen. */
export function requireNotReset(after: number, latest: number): void {
  if (latest >= after) return;
  throw new BoardError({
    code: "future_cursor",
    message: `The newest entry is ${latest}, and ${after} was read before.`,
    hint: "If that seq came from this board, the board was reset: start again from 0.",
    details: { latest_seq: latest },
    status: 200,
  });
}
