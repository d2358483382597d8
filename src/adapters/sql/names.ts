// Names of agents: the alias that the board guarantees, and the newest live profile, whose title is the name they gave themselves.
import { ALIAS_LIFE_MS } from "../../core/message/alias-rules.ts";
import type { NamedAgent } from "../../ports/agents.ts";
import type { ListReads } from "../../ports/store.ts";
import { spelled, type SqlRows } from "./dialect.ts";
import { idsWithPrefix } from "./lookups.ts";

const NAMES = spelled(
  ({ each }) =>
    `SELECT g.value AS agent,
      (SELECT l.alias FROM aliases l JOIN agents a ON a.id = l.agent WHERE l.agent = g.value AND l.ended_at IS NULL AND a.last_seen > $2
        ORDER BY l.alias LIMIT 1) AS alias,
      (SELECT m.seq FROM messages m WHERE m.author = g.value AND m.kind = 'profile' AND m.superseded_by IS NULL AND +m.expires_at > $3
        ORDER BY m.seq DESC LIMIT 1) AS profile
    FROM ${each("$1", "text", "g")}`,
);

export const nameReads = (rows: SqlRows): Pick<ListReads, "agentsByPrefix" | "agentNames"> => ({
  agentsByPrefix: (prefix, limit) => idsWithPrefix(rows, "agents", prefix, limit),
  agentNames: async (agents, now) =>
    agents.length === 0 ? [] : rows.all<NamedAgent>(NAMES(rows), [rows.dialect.list(agents), now - ALIAS_LIFE_MS, now]),
});
