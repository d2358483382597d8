// Caches messages by the version of their row: a changed row is read again, no matter which node changed it.
import type { Seen } from "../../core/view/outline.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import type { Raw } from "../../ports/store.ts";
import { messageCache, type SeenOf } from "../sql/message-caches.ts";
import { STATE_COLUMNS, toMessageState } from "../sql/rows.ts";
import type { Client } from "./client.ts";
import { numberArray } from "./array-literals.ts";
import { costOfRows, inPortions, portionSql } from "./portions.ts";

export interface CachedMessage {
  /** Its id and the transaction that wrote the row last: after a failover that lost commits, both numbers may occur again. */
  readonly version: string;
  readonly state: MessageState;
  readonly raw: Raw;
  readonly seen: Seen;
}

const MISSING = portionSql(`m.id || m.xmin AS version, ${STATE_COLUMNS}, c.payload, c.sig, c.nonce`, "", "m.seq = ANY ($1::bigint[])");
/** After this many new ones, ended messages are dropped, so that their texts do not stay in memory. */
const LET_GO_EVERY = 1000;

export class PostgresMessageCache {
  readonly #client: Pick<Client, "query">;
  readonly #seenOf: SeenOf;
  readonly #cache = messageCache<number, CachedMessage>();
  #added = 0;
  /** When the newest of them arrived: the time is at least that. */
  #newestArrival = 0;

  constructor(client: Pick<Client, "query">, seenOf: SeenOf) {
    this.#client = client;
    this.#seenOf = seenOf;
  }

  /** The message of each row, at exactly this version; undefined if one has changed since. */
  async of(wanted: readonly { readonly seq: number; readonly version: string }[]): Promise<readonly CachedMessage[] | undefined> {
    // Those that are cached are held here, because the others may push them out of the cache.
    const held = new Map<number, CachedMessage>();
    for (const { seq, version } of wanted) {
      const cached = this.#cache.get(seq);
      if (cached?.version === version) held.set(seq, cached);
    }
    costOfRows(held.size);
    const missing = wanted.flatMap(({ seq }) => (held.has(seq) ? [] : [seq]));
    const rows = inPortions<{ readonly version: string }>((after) => this.#client.query(MISSING, [numberArray(missing), after]));
    for await (const row of missing.length === 0 ? [] : rows) {
      const { version, payload, sig, nonce } = row;
      const state = toMessageState(row);
      const message = { version, state, raw: { payload, sig, nonce }, seen: this.#seenOf(state.id) };
      held.set(state.seq, message);
      this.#keep(message);
    }
    const found = wanted.flatMap(({ seq, version }) => {
      const message = held.get(seq);
      return message?.version === version ? [message] : [];
    });
    return found.length === wanted.length ? found : undefined;
  }

  #keep(message: CachedMessage): void {
    const { seq, receivedAt } = message.state;
    this.#cache.set(seq, message);
    this.#newestArrival = Math.max(this.#newestArrival, receivedAt);
    if (++this.#added % LET_GO_EVERY !== 0) return;
    for (const { state } of this.#cache.values()) if (state.expiresAt <= this.#newestArrival) this.#cache.delete(state.seq);
  }
}
