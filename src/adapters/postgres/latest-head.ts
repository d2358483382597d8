// The head of the log, as this node last read, wrote or received it; a newer one replaces an older one, in whatever order they arrive.
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { StoreFailure } from "../../ports/store.ts";
import type { Moved, PostsByBits } from "../../ports/wakeup.ts";
import type { Client } from "./client.ts";

export interface State extends Head {
  /** Increases with every batch. */
  readonly version: number;
  readonly nextDue: number | null;
}

/** More batches than a busy board commits in a few seconds. */
const MAX_LEARNED = 10_000;

const NO_POSTS: PostsByBits = new Map();

/** Number of posts by bits of proof of work, as nodes tell each other: "18:3,22:1". */
export const postsText = (bits: readonly number[]): string =>
  [...Map.groupBy(bits, (one) => one)].map(([one, posts]) => `${one}:${posts.length}`).join(",");

const postsIn = (text: string): PostsByBits =>
  text === "" ? NO_POSTS : new Map(text.split(",").map((one) => one.split(":").map(Number) as [bits: number, posts: number]));

export class LatestHead {
  readonly #client: Client;
  readonly #node: string;
  readonly #listeners: ((moved: Moved) => void)[] = [];
  /** When each of the last few versions became known. */
  readonly #learned: { readonly version: number; readonly at: number }[] = [];
  #newest: Omit<State, "hash"> | undefined;

  /** `node` identifies this node in its own notifications. */
  constructor(client: Client, node: string) {
    this.#client = client;
    this.#node = node;
  }

  async read(): Promise<State> {
    const [state] = await this.#client.query<State>(`SELECT version, seq, hash, next_due AS "nextDue" FROM board`);
    if (state === undefined) throw new StoreFailure("storage_unavailable", "The database holds no board.");
    this.learn(state);
    return state;
  }

  /** From the newest known state, which is at least as new as the head that the caller has read. */
  async nextDue(): Promise<number | null> {
    return (this.#newest ?? (await this.read())).nextDue;
  }

  /** The newest known head of the log. */
  get newestSeq(): number {
    return this.#newest?.seq ?? 0;
  }

  learn({ version, seq, nextDue }: Omit<State, "hash">, posted = NO_POSTS): void {
    const isNews = this.#newest === undefined || version > this.#newest.version;
    if (isNews) {
      this.#newest = { version, seq, nextDue };
      this.#learned.push({ version, at: performance.now() });
      if (this.#learned.length > MAX_LEARNED) this.#learned.splice(0, MAX_LEARNED / 2);
    } else if (posted.size === 0) return;
    for (const listener of this.#listeners) listener({ seq, nextDue: this.#newest?.nextDue ?? null, posted });
  }

  /** The newest version that was known this long ago. */
  versionBefore(ms: number): number {
    const then = performance.now() - ms;
    return this.#learned.findLast(({ at }) => at <= then)?.version ?? 0;
  }

  /** Handles the notification that the write function sends when it is done. */
  receive(payload: string): void {
    const [node, version, seq, due, posts = ""] = payload.split(" ");
    const nextDue = Number(due) === 0 ? null : Number(due);
    this.learn({ version: Number(version), seq: Number(seq), nextDue }, node === this.#node ? NO_POSTS : postsIn(posts));
  }

  onMoved(listener: (moved: Moved) => void): void {
    this.#listeners.push(listener);
  }
}
