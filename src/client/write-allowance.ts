// Tracks how much an address and an agent may still write: near the address's limit more work makes a post cheaper; an agent has to wait.
import type { Board } from "./board-handle.ts";
import type { Signer } from "./key.ts";

const allowances = new WeakMap<Board, { readonly left: number; readonly tokens: number; readonly until: number }>();
/** When each agent's allowance is full again, and how fast it refills. */
const paces = new WeakMap<Signer, { readonly fullAt: number; readonly burst: number; readonly everyMs: number }>();

/** More bits than this do not make a post cheaper. */
const MOST_EXTRA_BITS = 4;

/** Reads the rate limit headers of each answer to a write. */
export const noteAllowance =
  (board: Board, key?: Signer) =>
  ({ status, headers }: Response): void => {
    const said = `${headers.get("ratelimit")} ${headers.get("ratelimit-policy")}`;
    const limitOf = (scope: string): readonly number[] =>
      new RegExp(`"${scope}";r=(\\d+);t=(\\d+).*"${scope}";q=(\\d+);w=(\\d+)`).exec(said)?.slice(1).map(Number) ?? [];
    const now = performance.now();
    const [left, seconds = 0, all = 0] = limitOf("writes");
    if (left !== undefined) allowances.set(board, { left: left / all, tokens: left, until: now + seconds * 1000 });
    const [own, full = 0, burst = 0, window = 0] = limitOf("agent_writes");
    if (key === undefined || own === undefined) return;
    const everyMs = (window * 1000) / burst;
    // The board rounds seconds up, and the rest of the allowance down. A refusal says when the next write is possible.
    const missingMs = status === 429 ? full * 1000 + (burst - 1) * everyMs : Math.min(full * 1000, (burst - own) * everyMs);
    paces.set(key, { fullAt: now + missingMs, burst, everyMs });
  };

/**
 * Zero while half of the allowance is left, then one more bit for each halving of the rest. This way, many agents at one address are not
 * refused but do more work.
 */
export function extraBits(board: Board, posts = 1): number {
  const allowance = allowances.get(board);
  if (allowance === undefined || performance.now() >= allowance.until) return 0;
  // A bundle has to fit into what is left.
  const forMany = posts === 1 ? 0 : Math.ceil(Math.log2(posts / allowance.tokens));
  return Math.min(MOST_EXTRA_BITS, Math.max(0, forMany, -1 - Math.floor(Math.log2(allowance.left))));
}

/** How long an agent must wait before it may write once, or a number of times. */
export function turnInMs(key: Signer, times = 1): number {
  const { fullAt, burst, everyMs } = paces.get(key) ?? { fullAt: 0, burst: times, everyMs: 0 };
  return fullAt - (burst - Math.min(times, burst)) * everyMs - performance.now();
}

/** How often an agent may write at this moment, as far as the board has said. */
export function timesNow(key: Signer): number | undefined {
  const pace = paces.get(key);
  if (pace === undefined) return undefined;
  const { fullAt, burst, everyMs } = pace;
  return Math.min(burst, Math.floor(burst - (fullAt - performance.now()) / everyMs));
}
