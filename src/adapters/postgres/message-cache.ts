// Messages kept in memory by the version of their row: whoever wrote it, a row that has changed is read again.
import type { Seen } from "../../core/guard/flags.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import type { Raw } from "../../ports/store.ts";
import { cardMemory, type SeenOf } from "../sql/card-memory.ts";
import { STANDING_COLUMNS, toStanding } from "../sql/rows.ts";
import type { Client } from "./client.ts";
import { numberArray } from "./literals.ts";

export interface Kept {
  /** Its id and the transaction that wrote the row last: after a failover that lost commits, numbers of both may come again. */
  readonly version: string;
  readonly standing: MessageState;
  readonly raw: Raw;
  readonly seen: Seen;
}

interface KeptRow extends Raw {
  readonly version: string;
}

/** So many newly kept ones, and those that have ended meanwhile are let go: texts of messages that are over do not stay in memory. */
const LET_GO_EVERY = 1000;

export class KeptCards {
  readonly #client: Pick<Client, "query">;
  readonly #seenOf: SeenOf;
  readonly #kept = cardMemory<Kept>();
  #newlyKept = 0;
  /** When the newest of them arrived: it is later now. */
  #newestArrival = 0;

  constructor(client: Pick<Client, "query">, seenOf: SeenOf) {
    this.#client = client;
    this.#seenOf = seenOf;
  }

  /** The message of each row, at exactly this version; undefined where one has moved on since it was asked for. */
  async of(wanted: readonly { readonly seq: number; readonly version: string }[]): Promise<readonly Kept[] | undefined> {
    const missing = wanted.filter(({ seq, version }) => this.#kept.get(seq)?.version !== version);
    const read = new Map<number, Kept>();
    for (const row of missing.length === 0 ? [] : await this.#read(missing.map(({ seq }) => seq))) {
      const { version, payload, sig, nonce, ...rest } = row;
      const standing = toStanding(rest);
      const kept = { version, standing, raw: { payload, sig, nonce }, seen: this.#seenOf(standing.id) };
      read.set(kept.standing.seq, kept);
      this.#keep(kept);
    }
    const found = wanted.flatMap(({ seq, version }) => {
      const kept = read.get(seq) ?? this.#kept.get(seq);
      return kept?.version === version ? [kept] : [];
    });
    return found.length === wanted.length ? found : undefined;
  }

  #keep(kept: Kept): void {
    const { seq, receivedAt } = kept.standing;
    this.#kept.set(seq, kept);
    this.#newestArrival = Math.max(this.#newestArrival, receivedAt);
    if (++this.#newlyKept % LET_GO_EVERY !== 0) return;
    for (const { standing } of this.#kept.values()) if (standing.expiresAt <= this.#newestArrival) this.#kept.delete(standing.seq);
  }

  #read(seqs: readonly number[]): Promise<readonly KeptRow[]> {
    return this.#client.query<KeptRow>(
      `SELECT m.id || m.xmin AS version, ${STANDING_COLUMNS}, c.payload, c.sig, c.nonce
        FROM messages m JOIN contents c ON c.seq = m.seq WHERE m.seq = ANY ($1::bigint[])`,
      [numberArray(seqs)],
    );
  }
}
