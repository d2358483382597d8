// Threads in PostgreSQL: narrow rows by root, the refs between messages, and their neighbours.
import { REL_NAMES, RELS } from "../../core/protocol/vocabulary.ts";
import type { Answer, Branch, BranchQuery, NeighbourQuery, StoredRef, ThreadExtent, ThreadReads } from "../../ports/threads.ts";
import type { Client } from "./client.ts";
import { numberArray, textArray } from "./literals.ts";

const JOINING = REL_NAMES.filter((rel) => RELS[rel].thread)
  .map((rel) => `'${rel}'`)
  .join(", ");

const BRANCHES = `SELECT m.seq, m.author, m.expires_at AS "expiresAt", (m.id = m.root)::integer AS "isRoot",
    (SELECT p.seq FROM messages p WHERE p.id = (SELECT r.target FROM refs r WHERE r.seq = m.seq AND r.rel IN (${JOINING}) ORDER BY r.position LIMIT 1)
      AND p.root = m.root AND p.expires_at > $4) AS parent
  FROM messages m WHERE m.root = $1 AND m.seq > $2 AND m.seq <= $3 AND m.expires_at > $4 ORDER BY m.seq LIMIT $5`;

const POINTED_TO = `SELECT DISTINCT t.seq FROM refs r JOIN messages t ON t.id = r.target
  WHERE r.seq = ANY ($1::bigint[]) AND r.rel = ANY ($3::text[]) AND t.expires_at > $5 AND t.seq <> ALL ($2::bigint[])
  ORDER BY t.seq LIMIT $4`;

/** A message may be pointed to a hundred thousand times: each of its rels is read in order and only as far as there is room. */
const POINTING = `SELECT DISTINCT n.seq FROM messages t CROSS JOIN unnest($3::text[]) AS k (rel) CROSS JOIN LATERAL (
    SELECT r.seq FROM refs r JOIN messages m ON m.seq = r.seq
    WHERE r.target = t.id AND r.rel = k.rel AND r.seq <> ALL ($2::bigint[]) AND m.expires_at > $5 ORDER BY r.seq LIMIT $4
  ) n WHERE t.seq = ANY ($1::bigint[]) ORDER BY n.seq LIMIT $4`;

export class PostgresThreads implements ThreadReads {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async threadExtent(root: string): Promise<ThreadExtent> {
    const [extent] = await this.#client.query<ThreadExtent>(
      `SELECT coalesce((SELECT messages FROM threads WHERE root = $1), 0) AS messages,
        coalesce((SELECT max(seq) FROM messages WHERE root = $1), 0) AS "lastSeq"`,
      [root],
    );
    return extent ?? { messages: 0, lastSeq: 0 };
  }

  branches(root: string, { after, upTo, limit, now }: BranchQuery): Promise<readonly Branch[]> {
    return this.#client.query<Branch>(BRANCHES, [root, after, upTo, now, limit]);
  }

  async openWork(root: string, limit: number, now: number): Promise<readonly string[]> {
    const rows = await this.#client.query<{ id: string }>(
      `SELECT id FROM messages WHERE root = $1 AND status = 'open' AND kind IN ('task', 'subtask', 'question')
        AND superseded_by IS NULL AND expires_at > $2 ORDER BY seq LIMIT $3`,
      [root, now, limit],
    );
    return rows.map(({ id }) => id);
  }

  answersTo(target: string, asker: string, limit: number, now: number): Promise<readonly Answer[]> {
    const sql = `SELECT a.id, a.verifies, a.refutes, (SELECT v.rel FROM votes v WHERE v.target = a.seq AND v.agent = $2 ORDER BY v.seq DESC LIMIT 1) AS asker
      FROM refs r JOIN messages a ON a.seq = r.seq JOIN messages t ON t.id = r.target AND t.seq < a.seq WHERE r.target = $1 AND r.rel = 'answers' AND a.superseded_by IS NULL AND a.expires_at > $3 ORDER BY r.seq LIMIT $4`;
    return this.#client.query<Answer>(sql, [target, asker, now, limit]);
  }

  async barredWork(agent: string, now: number): Promise<readonly number[]> {
    const rows = await this.#client.query<{ target: number }>("SELECT target FROM barred WHERE agent = $1 AND until > $2", [agent, now]);
    return rows.map(({ target }) => target);
  }

  refs(seqs: readonly number[]): Promise<readonly StoredRef[]> {
    const sql = "SELECT seq, rel, target FROM refs WHERE seq = ANY ($1::bigint[]) ORDER BY seq, position";
    return this.#client.query<StoredRef>(sql, [numberArray(seqs)]);
  }

  async neighbours({ of, except, rels, limit, now }: NeighbourQuery): Promise<readonly number[]> {
    const values = [numberArray(of), numberArray(except), textArray(rels), limit, now];
    const [to, from] = await Promise.all([
      this.#client.query<{ seq: number }>(POINTED_TO, values),
      this.#client.query<{ seq: number }>(POINTING, values),
    ]);
    const found = [...to, ...from].map(({ seq }) => seq);
    return [...new Set(found)].sort((a, b) => a - b).slice(0, limit);
  }
}
