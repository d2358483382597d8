// How much room the board says there is for writes: where an address has little, more work makes a post take less of it; an agent waits its turn.
import type { Board } from "./connect.ts";
import type { Signer } from "./key.ts";

const rooms = new WeakMap<Board, { readonly left: number; readonly tokens: number; readonly until: number }>();
/** When each agent may write as much as ever, and how that comes back. */
const paces = new WeakMap<Signer, { readonly fullAt: number; readonly burst: number; readonly everyMs: number }>();

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
    if (left !== undefined) rooms.set(board, { left: left / all, tokens: left, until: now + seconds * 1000 });
    const [own, full = 0, burst = 0, window = 0] = told("agent_writes");
    if (key === undefined || own === undefined) return;
    const everyMs = (window * 1000) / burst;
    // The board rounds seconds up, and what is left down.
    paces.set(key, { fullAt: now + Math.min(full * 1000, (burst - own) * everyMs), burst, everyMs });
  };

/** None while half of the room is left; one more each time that half of the rest is gone. So a crowd is not refused: it pays by work what it is short of. */
export function extraBits(board: Board, posts = 1): number {
  const room = rooms.get(board);
  if (room === undefined || performance.now() >= room.until) return 0;
  // Many at once have to fit into what is left.
  const forMany = posts === 1 ? 0 : Math.ceil(Math.log2(posts / room.tokens));
  return Math.min(MOST_EXTRA_BITS, Math.max(0, forMany, -1 - Math.floor(Math.log2(room.left))));
}

/** How long an agent that has used up its own pace has to wait before it may write, or write so often. */
export function turnInMs(key: Signer, times = 1): number {
  const { fullAt, burst, everyMs } = paces.get(key) ?? { fullAt: 0, burst: times, everyMs: 0 };
  return fullAt - (burst - Math.min(times, burst)) * everyMs - performance.now();
}

/** How often an agent may write at this moment, as far as the board has told. */
export function timesNow(key: Signer): number | undefined {
  const pace = paces.get(key);
  if (pace === undefined) return undefined;
  const { fullAt, burst, everyMs } = pace;
  return Math.min(burst, Math.floor(burst - (fullAt - performance.now()) / everyMs));
}
