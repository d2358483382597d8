// A streaming replica that answers listings while it keeps up with the primary.
import type { Head } from "../../core/log/checkpoint.ts";
import type { ListingReads } from "../../ports/store.ts";
import type { BoardState, State } from "./board-state.ts";
import { Client } from "./client.ts";
import { PostgresLister } from "./list.ts";

/** What a listing may be behind the primary. */
const STALE_MS = 2000;
/** Longer than any request takes: its validator and its body come from the same side. */
const RETRY_MS = 5000;

export class Replica {
  readonly #client: Client;
  readonly #walks: Client;
  readonly #lister: PostgresLister;
  readonly #primary: BoardState;
  #downUntil = 0;

  constructor(url: string, connections: { readonly reads: number; readonly walks: number }, primary: BoardState) {
    this.#client = new Client({ url, connections: connections.reads, name: "blackboard replica" });
    this.#walks = new Client({ url, connections: connections.walks, name: "blackboard replica walks" });
    this.#lister = new PostgresLister(this.#client, this.#walks);
    this.#primary = primary;
  }

  /** Where it stands; undefined where it is too far behind or does not answer. Then it is left alone for a while, by whoever asks. */
  async state(): Promise<State | undefined> {
    if (performance.now() < this.#downUntil) return undefined;
    const required = this.#primary.versionBefore(STALE_MS);
    const [state] = await this.#client
      .query<State>(`SELECT version, seq, hash, next_due AS "nextDue" FROM board`)
      .catch((): readonly State[] => []);
    if (state !== undefined && state.version >= required) return state;
    this.#downUntil = performance.now() + RETRY_MS;
    return undefined;
  }

  /** Reads of one moment; where they fail, the primary takes over. */
  async reads(primary: ListingReads): Promise<ListingReads | undefined> {
    const state = await this.state();
    if (state === undefined) return undefined;
    return {
      head: async (): Promise<Head> => ({ seq: state.seq, hash: state.hash }),
      nextDue: async () => state.nextDue,
      list: (query) => this.#lister.list(query).catch(() => primary.list(query)),
    };
  }

  async end(): Promise<void> {
    await Promise.all([this.#client.end(), this.#walks.end()]);
  }
}
