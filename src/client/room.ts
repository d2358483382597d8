// How much room the caller's address has for writes, as the board last told: where there is little, more work makes a post take less of it.
import type { Board } from "./connect.ts";

const rooms = new WeakMap<Board, { readonly left: number; readonly until: number }>();

/** More of it makes a post no cheaper. */
const MOST_EXTRA_BITS = 4;

/** Listens to what the board says beside each answer to a write. */
export const roomOf =
  (board: Board) =>
  ({ headers }: Response): void => {
    const [, room, seconds] = /"writes";r=(\d+);t=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
    const [, all] = /"writes";q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "") ?? [];
    if (room && all) rooms.set(board, { left: Number(room) / Number(all), until: performance.now() + Number(seconds) * 1000 });
  };

/** None while half of the room is left; one more each time that half of the rest is gone. So a crowd is not refused: it pays by work what it is short of. */
export function extraBits(board: Board): number {
  const room = rooms.get(board);
  if (room === undefined || performance.now() >= room.until) return 0;
  return Math.min(MOST_EXTRA_BITS, Math.max(0, -1 - Math.floor(Math.log2(room.left))));
}
