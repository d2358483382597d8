// The head of the log, as this node last read, wrote or received it; a newer one replaces an older one, in whatever order they arrive.
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { StoreFailure } from "../../ports/store.ts";
import type { Moved, PostsByBits } from "../../ports/wakeup.ts";
import { atNobodysCost } from "../../ports/cpu-slices.ts";
import type { Client } from "./client.ts";
import { Coalesced } from "./coalesce.ts";
import { SNAPSHOT } from "./current-messages.ts";

export interface State extends Head {
  /** Increases with every batch. */
  readonly version: number;
  readonly nextDue: number | null;
}

interface ReadState extends State {
  /** See `SNAPSHOT`. */
  readonly snapshot: string;
}

/** What the node learns of a new state. */
type News = Omit<State, "hash">;

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
  /** Everybody shares the result, so nobody pays for it or waits in the queue of one caller. */
  readonly #reads = new Coalesced<void, ReadState>(async () => {
    const state = await atNobodysCost(() => this.#read());
    return () => state;
  });
  #newest: News | undefined;
  readonly #backListeners: ((seq: number) => void)[] = [];
  #backs = 0;

  /** `node` identifies this node in its own notifications. */
  constructor(client: Client, node: string) {
    this.#client = client;
    this.#node = node;
  }

  read(): Promise<ReadState> {
    return this.#reads.ask();
  }

  async #read(): Promise<ReadState> {
    const stepBack = this.expect();
    const [state] = await this.#client.query<ReadState>(
      `SELECT version, seq, hash, next_due AS "nextDue", ${SNAPSHOT} AS snapshot FROM board b`,
    );
    if (state === undefined) throw new StoreFailure("storage_unavailable", "The database holds no board.");
    stepBack(state.version, state.seq);
    this.learn(state);
    return state;
  }

  /**
   * Call this before the database is asked, and the returned function with its version then: if it has less than was known before, an older
   * copy has taken its place, and what was known is forgotten.
   */
  expect(): (version: number, seq: number) => void {
    const [known, backs] = [this.newestVersion, this.#backs];
    return (version, seq) => {
      if (version >= known || backs !== this.#backs) return;
      this.#backs++;
      this.#newest = undefined;
      for (const listener of this.#backListeners) listener(seq);
    };
  }

  onBack(listener: (seq: number) => void): void {
    this.#backListeners.push(listener);
  }

  /** From the newest known state, which is at least as new as the head that the caller has read. */
  async nextDue(): Promise<number | null> {
    return (this.#newest ?? (await this.read())).nextDue;
  }

  /** The newest known version of the board. */
  get newestVersion(): number {
    return this.#newest?.version ?? 0;
  }

  /** The newest known head of the log. */
  get newestSeq(): number {
    return this.#newest?.seq ?? 0;
  }

  learn({ version, seq, nextDue }: News, { posted = NO_POSTS, ownAfter }: Pick<Partial<Moved>, "posted" | "ownAfter"> = {}): void {
    const isNews = this.#newest === undefined || version > this.#newest.version;
    if (isNews) {
      this.#newest = { version, seq, nextDue };
      this.#learned.push({ version, at: performance.now() });
      if (this.#learned.length > MAX_LEARNED) this.#learned.splice(0, MAX_LEARNED / 2);
    } else if (posted.size === 0) return;
    for (const listener of this.#listeners) listener({ seq, nextDue: this.#newest?.nextDue ?? null, posted, ownAfter });
  }

  /** The newest version that was known this long ago. */
  versionBefore(ms: number): number {
    const then = performance.now() - ms;
    return this.#learned.findLast(({ at }) => at <= then)?.version ?? 0;
  }

  /** Handles the notification that the write function sends when it is done. What this node writes it learns from the writer. */
  receive(payload: string): void {
    const [node, version, seq, due, posts = ""] = payload.split(" ");
    if (node === this.#node) return;
    const nextDue = Number(due) === 0 ? null : Number(due);
    this.learn({ version: Number(version), seq: Number(seq), nextDue }, { posted: postsIn(posts) });
  }

  onMoved(listener: (moved: Moved) => void): void {
    this.#listeners.push(listener);
  }
}
