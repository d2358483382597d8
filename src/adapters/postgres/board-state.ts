// Where the log stands, as this node last read, wrote or heard it; newer word replaces older, in whatever order it comes.
import type { Head } from "../../core/log/checkpoint.ts";
import { StoreFailure } from "../../ports/store.ts";
import type { Moved } from "../../ports/wakeup.ts";
import type { Client } from "./client.ts";

export interface State extends Head {
  /** Moves with every batch. */
  readonly version: number;
  readonly nextDue: number | null;
}

export class BoardState {
  readonly #client: Client;
  readonly #hearers: ((moved: Moved) => void)[] = [];
  #newest: Pick<State, "version" | "nextDue"> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async read(): Promise<State> {
    const [state] = await this.#client.query<State>(`SELECT version, seq, hash, next_due AS "nextDue" FROM board`);
    if (state === undefined) throw new StoreFailure("storage_unavailable", "The database holds no board.");
    this.learn(state);
    return state;
  }

  /** As of the newest word, which is at least as new as the head that the caller has read. */
  async nextDue(): Promise<number | null> {
    return (this.#newest ?? (await this.read())).nextDue;
  }

  learn({ version, seq, nextDue }: Omit<State, "hash">): void {
    if (this.#newest !== undefined && version <= this.#newest.version) return;
    this.#newest = { version, nextDue };
    for (const hear of this.#hearers) hear({ seq, nextDue });
  }

  /** What the write function says when it is done. */
  hear(payload: string): void {
    const [version = 0, seq = 0, due] = payload.split(" ").map(Number);
    this.learn({ version, seq, nextDue: due === undefined || due === 0 ? null : due });
  }

  onMoved(hear: (moved: Moved) => void): void {
    this.#hearers.push(hear);
  }
}
