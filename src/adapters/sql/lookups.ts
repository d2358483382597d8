// Single facts by id, hash and prefix.
import { first, type SqlRows } from "./dialect.ts";

const VOTES = "SELECT agent, rel FROM votes WHERE target = $1 ORDER BY seq";
const FIRST_SEEN = "SELECT first_seen AS at FROM agents WHERE id = $1";
const IDS = `SELECT id, expires_at AS "expiresAt" FROM messages WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 64`;
/** Includes tombstones, which some listings show. */
const CHANGED = `SELECT seq FROM (
  SELECT * FROM (SELECT seq, changed FROM messages WHERE changed > $1 ORDER BY changed LIMIT $2) AS live
  UNION ALL
  SELECT * FROM (SELECT seq, changed FROM gone WHERE changed > $1 AND reason IN ('removed', 'retracted') ORDER BY changed LIMIT $2) AS ended
) AS both_of_them ORDER BY changed LIMIT $2`;
const TOMBSTONE_IDS = "SELECT id FROM gone WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3";
/** An attachment ends with the last message that has it, whether or not that message is swept. */
const BLOB = `SELECT text FROM blobs b WHERE sha256 = $1 AND expires_at > $2
  AND EXISTS (SELECT 1 FROM attachments a JOIN messages m ON m.seq = a.seq WHERE a.sha256 = b.sha256 AND m.expires_at > $2)`;

export async function verifiers(rows: SqlRows, seq: number): Promise<readonly string[]> {
  const votes = await rows.all<{ agent: string; rel: string }>(VOTES, [seq]);
  // In order of seq, so the last one of an agent is in force.
  const inForce = new Map(votes.map(({ agent, rel }) => [agent, rel]));
  return [...inForce].filter(([, rel]) => rel === "verifies").map(([agent]) => agent);
}

export async function firstSeen(rows: SqlRows, agent: string): Promise<number | undefined> {
  return (await first<{ at: number }>(rows, FIRST_SEEN, [agent]))?.at;
}

export async function changedSince(rows: SqlRows, after: number, limit: number): Promise<readonly number[]> {
  return (await rows.all<{ seq: number }>(CHANGED, [after, limit])).map(({ seq }) => seq);
}

export async function idsByPrefix(rows: SqlRows, prefix: string, limit: number, now: number): Promise<{ live: string[]; ended: string[] }> {
  // Ids are lower-case hex, so every id with the prefix sorts before the prefix followed by `g`.
  const range = [prefix, `${prefix}g`];
  const [found, swept] = await Promise.all([
    rows.all<{ id: string; expiresAt: number }>(IDS, range),
    rows.all<{ id: string }>(TOMBSTONE_IDS, [...range, limit]),
  ]);
  const live = found.filter(({ expiresAt }) => expiresAt > now);
  const over = found.filter(({ expiresAt }) => expiresAt <= now);
  return { live: live.slice(0, limit).map(({ id }) => id), ended: [...over, ...swept].slice(0, limit).map(({ id }) => id) };
}

export async function blob(rows: SqlRows, hash: string, now: number): Promise<string | undefined> {
  return (await first<{ text: string }>(rows, BLOB, [hash, now]))?.text;
}
