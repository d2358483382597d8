// What agents are called: the alias that the board vouches for, and the newest live profile, whose title is the name they gave themselves.
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

export async function agentNames(rows: SqlRows, agents: readonly string[], now: number): Promise<readonly NamedAgent[]> {
  if (agents.length === 0) return [];
  return rows.all<NamedAgent>(NAMES(rows), [rows.dialect.list(agents), now - ALIAS_LIFE_MS, now]);
}
