// A board that was set up anew counts from one again: whoever reads on from before would wait for ever.
import { BoardError } from "./board-error.ts";

/** Throws `future_cursor`, as a stream does, where the newest entry comes before what the reader has seen. */
export function requireReached(after: number, latest: number): void {
  if (latest >= after) return;
  throw new BoardError({
    code: "future_cursor",
    message: `The newest entry is ${latest}, and ${after} was read before.`,
    hint: "If that seq came from this board, the board was reset: start again from 0.",
    details: { latest_seq: latest },
    status: 200,
  });
}
