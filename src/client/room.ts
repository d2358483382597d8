// How much room the board says there is for writes: where an address has little, more work makes a post take less of it; an agent waits its turn.
import type { Board } from "./connect.ts";
import type { Signer } from "./key.ts";

const rooms = new WeakMap<Board, { readonly left: number; readonly until: number }>();
/** When each agent may write again. */
const turns = new WeakMap<Signer, number>();

/** More of it makes a post no cheaper. */
const MOST_EXTRA_BITS = 4;

/** Listens to what the board says beside each answer to a write. */
export const roomOf =
  (board: Board, key?: Signer) =>
  ({ headers }: Response): void => {
    const said = `${headers.get("ratelimit")} ${headers.get("ratelimit-policy")}`;
    const told = (scope: string): readonly number[] =>
      new RegExp(`"${scope}";r=(\\d+);t=(\\d+).*"${scope}";q=(\\d+);w=(\\d+)`).exec(said)?.slice(1).map(Number) ?? [];
    const now = performance.now();
    const [left, seconds = 0, all = 0] = told("writes");
    if (left !== undefined) rooms.set(board, { left: left / all, until: now + seconds * 1000 });
    const [own, full = 0, burst = 0, window = 0] = told("agent_writes");
    // Full again but for all that comes after the next one.
    if (key !== undefined && own === 0) turns.set(key, now + (full - window + window / burst) * 1000);
  };

/** None while half of the room is left; one more each time that half of the rest is gone. So a crowd is not refused: it pays by work what it is short of. */
export function extraBits(board: Board): number {
  const room = rooms.get(board);
  if (room === undefined || performance.now() >= room.until) return 0;
  return Math.min(MOST_EXTRA_BITS, Math.max(0, -1 - Math.floor(Math.log2(room.left))));
}

/** How long an agent that has used up its own pace has to wait. */
export const turnInMs = (key: Signer): number => (turns.get(key) ?? 0) - performance.now();
