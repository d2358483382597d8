// What the search index reads of a PostgreSQL board, on a connection of its own.
import { GENESIS } from "../../core/log/chain.ts";
import type { GoneReason } from "../../core/message/standing.ts";
import type { SearchSource, SourceMessage } from "../../ports/search.ts";
import { toDeparture } from "../../core/message/departures.ts";
import { Client } from "./client.ts";
import { textArray } from "./literals.ts";

interface PostgresSourceOptions {
  readonly url: string;
}

/** Called on the thread of the index; see `SourceModule`. */
export function openSource(options: unknown): SearchSource {
  const client = new Client({ url: (options as PostgresSourceOptions).url, connections: 1, name: "blackboard index" });
  const range = "SELECT seq, payload FROM contents WHERE seq > $1 AND seq <= $2 ORDER BY seq";
  const former = (ids: readonly string[]) =>
    client.query<{ seq: number; reason: GoneReason }>(
      `SELECT seq, 'removed' AS reason FROM log l WHERE type = 'create' AND id = ANY ($1::text[])
        AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.seq = l.seq)`,
      [textArray(ids)],
    );
  return {
    async head() {
      const [row] = await client.query<{ seq: number }>("SELECT seq FROM board");
      return row?.seq ?? 0;
    },
    async hashAt(seq) {
      if (seq === 0) return GENESIS;
      const [row] = await client.query<{ hash: string }>("SELECT hash FROM log WHERE seq = $1", [seq]);
      return row?.hash;
    },
    async changes(after, upTo) {
      // Newest tombstones speak: whoever is gone has one for as long as the log keeps the entry.
      const [departed, restored, arrived] = await Promise.all([
        client.query<{ seq: number; reason: GoneReason }>(
          `SELECT g.seq, g.reason FROM log l JOIN gone g ON g.id = l.id
            WHERE l.seq > $1 AND l.seq <= $2 AND l.type IN ('expire', 'retract', 'remove')`,
          [after, upTo],
        ),
        client.query<{ id: string }>("SELECT DISTINCT id FROM log WHERE seq > $1 AND seq <= $2 AND type = 'restore'", [after, upTo]),
        client.query<SourceMessage>(range, [after, upTo]),
      ]);
      // One that was given back and posted again has no tombstone any more. That is rare, and only then the log is read through.
      const replaced = restored.length === 0 ? [] : await former(restored.map(({ id }) => id));
      return { gone: [...departed, ...replaced].map(toDeparture), arrived };
    },
    messages: (after, upTo, limit) => client.query<SourceMessage>(`${range} LIMIT $3`, [after, upTo, limit]),
    close: () => client.end(),
  };
}
