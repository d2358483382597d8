// Messages kept in memory by the version of their row: whoever wrote it, a row that has changed is read again.
import type { Standing } from "../../core/message/standing.ts";
import type { Raw } from "../../ports/store.ts";
import { cardMemory } from "../sql/card-memory.ts";
import { STANDING_COLUMNS, toStanding } from "../sql/rows.ts";
import type { Client } from "./client.ts";
import { numberArray } from "./literals.ts";

export interface Kept {
  /** Its id and the transaction that wrote the row last: after a failover that lost commits, numbers of both may come again. */
  readonly version: string;
  readonly standing: Standing;
  readonly raw: Raw;
}

interface KeptRow extends Raw {
  readonly version: string;
}

export class KeptCards {
  readonly #client: Client;
  readonly #kept = cardMemory<Kept>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The message of each row, at exactly this version; undefined where one has moved on since it was asked for. */
  async of(wanted: readonly { readonly seq: number; readonly version: string }[]): Promise<readonly Kept[] | undefined> {
    const missing = wanted.filter(({ seq, version }) => this.#kept.get(seq)?.version !== version);
    const read = new Map<number, Kept>();
    for (const row of missing.length === 0 ? [] : await this.#read(missing.map(({ seq }) => seq))) {
      const { version, payload, sig, nonce, ...rest } = row;
      const kept = { version, standing: toStanding(rest), raw: { payload, sig, nonce } };
      read.set(kept.standing.seq, kept);
      this.#kept.set(kept.standing.seq, kept);
    }
    const found = wanted.flatMap(({ seq, version }) => {
      const kept = read.get(seq) ?? this.#kept.get(seq);
      return kept?.version === version ? [kept] : [];
    });
    return found.length === wanted.length ? found : undefined;
  }

  #read(seqs: readonly number[]): Promise<readonly KeptRow[]> {
    return this.#client.query<KeptRow>(
      `SELECT m.id || m.xmin AS version, ${STANDING_COLUMNS}, c.payload, c.sig, c.nonce
        FROM messages m JOIN contents c ON c.seq = m.seq WHERE m.seq = ANY ($1::bigint[])`,
      [numberArray(seqs)],
    );
  }
}
