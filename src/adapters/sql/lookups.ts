// Single facts by id, hash and prefix.
import type { Store } from "../../ports/store.ts";
import { first, fromJson, spelled, type SqlRows } from "./dialect.ts";
import { fewAtATime } from "./short-statements.ts";

/** More rows of votes than this are not read to find who voted on a message. */
const VOTES_READ = 1024;
const TARGETS_PER_READ = 4;
const VOTES = spelled(({ each, json }) => {
  const votes = `SELECT agent, rel FROM votes WHERE target = k.value ORDER BY agent, seq LIMIT ${VOTES_READ + 1}`;
  return `SELECT k.value AS target, ${json(["agent", "rel"], votes)} AS votes FROM ${each("$1", "number", "k")}`;
});
const FIRST_SEEN = "SELECT first_seen AS at FROM agents WHERE id = $1";
const IDS = `SELECT id, expires_at AS "expiresAt" FROM messages WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 64`;
/** Includes tombstones, which some listings show. */
const CHANGED = `SELECT seq FROM (
  SELECT * FROM (SELECT seq, changed FROM messages WHERE changed > $1 ORDER BY changed LIMIT $2) AS live
  UNION ALL
  SELECT * FROM (SELECT seq, changed FROM gone WHERE changed > $1 AND reason IN ('removed', 'retracted') ORDER BY changed LIMIT $2) AS ended
) AS both_of_them ORDER BY changed LIMIT $2`;
/** An attachment ends with the last message that has it, whether or not that message is swept. */
const BLOB = `SELECT text FROM blobs b WHERE sha256 = $1 AND expires_at > $2
  AND EXISTS (SELECT 1 FROM attachments a JOIN messages m ON m.seq = a.seq WHERE a.sha256 = b.sha256 AND m.expires_at > $2)`;

/** Past every id that begins with the prefix: ids are lower-case hex, and `g` comes after all of its digits. */
const rangeOf = (prefix: string): readonly [from: string, before: string] => [prefix, `${prefix}g`];

export async function idsWithPrefix(rows: SqlRows, table: "agents" | "gone" | "past_messages", prefix: string, limit: number) {
  const sql = `SELECT id FROM ${table} WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3`;
  return (await rows.all<{ id: string }>(sql, [...rangeOf(prefix), limit])).map(({ id }) => id);
}

/** Votes are in order of seq, so the last one of an agent is in force. */
const verifying = (votes: readonly (readonly [agent: string, rel: string])[]): readonly string[] =>
  [...new Map(votes)].filter(([, rel]) => rel === "verifies").map(([agent]) => agent);

type Lookups = Pick<Store, "verifiers" | "firstSeen" | "changedSince" | "idsByPrefix" | "blob">;

export const lookups = (rows: SqlRows): Lookups => ({
  async verifiers(seqs) {
    const read = async (some: readonly number[]): Promise<[number, readonly string[]][]> => {
      const found = await rows.all<{ target: number; votes: string | null }>(VOTES(rows), [rows.dialect.list(some)]);
      return found.flatMap(({ target, votes }) => {
        const given = fromJson(votes) as [agent: string, rel: string][];
        return given.length > VOTES_READ ? [] : [[target, verifying(given)]];
      });
    };
    return new Map(await fewAtATime(seqs, TARGETS_PER_READ, read));
  },
  firstSeen: async (agent) => (await first<{ at: number }>(rows, FIRST_SEEN, [agent]))?.at,
  changedSince: async (after, limit) => (await rows.all<{ seq: number }>(CHANGED, [after, limit])).map(({ seq }) => seq),
  async idsByPrefix(prefix, limit, now) {
    const [found, swept] = await Promise.all([
      rows.all<{ id: string; expiresAt: number }>(IDS, rangeOf(prefix)),
      idsWithPrefix(rows, "gone", prefix, limit),
    ]);
    const live = found.filter(({ expiresAt }) => expiresAt > now);
    const over = found.filter(({ expiresAt }) => expiresAt <= now);
    return { live: live.slice(0, limit).map(({ id }) => id), ended: [...over.map(({ id }) => id), ...swept].slice(0, limit) };
  },
  blob: async (hash, now) => (await first<{ text: string }>(rows, BLOB, [hash, now]))?.text,
});
