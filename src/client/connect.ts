// A board to talk to: its address, and how its answers are fetched. Nothing is sent before something is asked.

export interface Board {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** How often one call is tried in all where the board is away. */
  readonly attempts: number;
  /** How long one call may wait in all, most often because the board says that it is asked too much; where that would not do, it gives up at once. */
  readonly longestWaitS: number;
}

export interface ConnectOptions {
  readonly fetch?: typeof fetch;
  readonly attempts?: number;
  readonly longestWaitS?: number;
}

/** `url` is the board's address without a path, such as `https://board.example`. */
export function connect(url: string | URL, { fetch = globalThis.fetch, attempts = 5, longestWaitS = 60 }: ConnectOptions = {}): Board {
  // Called through the object it would lose the window that browsers want it to be called on.
  return { url: String(url).replace(/\/+$/, ""), fetch: fetch.bind(globalThis), attempts, longestWaitS };
}
