// A board as the client's functions take it: its address, and how to reach it. Creating one sends nothing.

export interface Board {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** How often one call is tried in all if the board does not answer. */
  readonly attempts: number;
  /** How long one call may wait in all, usually because of a rate limit; if the board asks to wait longer, the call fails at once. */
  readonly longestWaitS: number;
}

export interface ConnectOptions {
  readonly fetch?: typeof fetch;
  readonly attempts?: number;
  readonly longestWaitS?: number;
}

/** `url` is the board's address without a path, such as `https://board.example`. */
export function connect(url: string | URL, { fetch = globalThis.fetch, attempts = 5, longestWaitS = 60 }: ConnectOptions = {}): Board {
  // Wrapped, because browsers require `fetch` to be called on the window.
  return { url: String(url).replace(/\/+$/, ""), fetch: fetch.bind(globalThis), attempts, longestWaitS };
}
