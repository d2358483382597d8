// The last signed head of a PostgreSQL board: in the database, where nodes agree on it, and in a file of each node.
import type { Checkpoint } from "../../core/log/chain-checkpoint.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import type { HeadRecord } from "../../ports/head-record.ts";
import { StoreFailure } from "../../ports/store.ts";
import type { Client } from "./client.ts";

/**
 * Because of the file, a database that was restored to an older state cannot sign a second history. `pk` is the board's first key, if it
 * is known: a head of another board is ignored, and the first head that this board signs replaces it.
 */
export function postgresHeadRecord(client: Client, file: HeadRecord, pk: string | undefined): HeadRecord {
  const stored = async (): Promise<Checkpoint | undefined> => {
    const [row] = await client.query<{ body: string }>("SELECT body FROM signed_head");
    const head = row && (JSON.parse(row.body) as Checkpoint);
    return pk === undefined || head?.board === agentId(pk) ? head : undefined;
  };
  return {
    async read() {
      const [own, shared] = await Promise.all([file.read(), stored()]);
      if (own === undefined || shared === undefined) return own ?? shared;
      return own.seq >= shared.seq ? own : shared;
    },
    async write(checkpoint) {
      const { seq, hash } = checkpoint;
      // Only an entry of the log can be signed, and only one that continues the last signed head.
      const swapped = await client.query(
        `INSERT INTO signed_head AS s (one, seq, hash, body) SELECT 1, $1::bigint, $2::text, $3
          WHERE $1::bigint = 0 OR EXISTS (SELECT 1 FROM log WHERE seq = $1::bigint AND hash = $2::text)
          ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, body = excluded.body
          WHERE s.seq < excluded.seq OR (s.seq = excluded.seq AND s.hash = excluded.hash)
            OR s.body::json ->> 'board' <> excluded.body::json ->> 'board' RETURNING s.seq`,
        [seq, hash, JSON.stringify(checkpoint)],
      );
      if (swapped.length > 0) return file.write(checkpoint);
      const current = await stored();
      // Another node signed a newer head of the same log meanwhile: that one will do as well.
      if (current !== undefined && current.seq > seq) return file.write(current);
      throw new StoreFailure("storage_unavailable", `The head ${seq} ${hash} does not continue the last signed one.`);
    },
  };
}
