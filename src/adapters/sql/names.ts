// Names of agents: the alias that the board guarantees, and the newest live profile, whose title is the name they gave themselves.
import { ALIAS_LIFE_MS } from "../../core/message/alias-rules.ts";
import type { NamedAgent } from "../../ports/agents.ts";
import { spelled, type SqlRows } from "./dialect.ts";

const NAMES = spelled(
  ({ each }) =>
    `SELECT g.value AS agent,
      (SELECT l.alias FROM aliases l JOIN agents a ON a.id = l.agent WHERE l.agent = g.value AND l.ended_at IS NULL AND a.last_seen > $2
        ORDER BY l.alias LIMIT 1) AS alias,
      (SELECT m.seq FROM messages m WHERE m.author = g.value AND m.kind = 'profile' AND m.superseded_by IS NULL AND +m.expires_at > $3
        ORDER BY m.seq DESC LIMIT 1) AS profile
    FROM ${each("$1", "text", "g")}`,
);

const BY_PREFIX = "SELECT id FROM agents WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3";

/** Past every id that begins with the prefix: `g` comes after all hex digits. */
export async function agentsByPrefix(rows: SqlRows, prefix: string, limit: number): Promise<readonly string[]> {
  return (await rows.all<{ id: string }>(BY_PREFIX, [prefix, `${prefix}g`, limit])).map(({ id }) => id);
}

export async function agentNames(rows: SqlRows, agents: readonly string[], now: number): Promise<readonly NamedAgent[]> {
  if (agents.length === 0) return [];
  return rows.all<NamedAgent>(NAMES(rows), [rows.dialect.list(agents), now - ALIAS_LIFE_MS, now]);
}
