// Aliases for readers.
import { ALIAS_LIFE_MS } from "../../core/message/alias-rules.ts";
import type { Alias, AliasReads } from "../../ports/aliases.ts";
import { opsOf } from "./alias-rows.ts";
import { first, type SqlRows } from "./dialect.ts";

/** `$1`: if the last act of the owner was at this time or before, the alias has ended. */
const live = (where: string): string =>
  `SELECT l.alias, l.agent, l.claimed_at AS "claimedAt", a.last_seen + ${ALIAS_LIFE_MS} AS "expiresAt"
    FROM aliases l JOIN agents a ON a.id = l.agent WHERE l.ended_at IS NULL AND a.last_seen > $1 AND ${where}`;
const ONE = live("l.alias = $2");
const PAGE = "l.alias > $2 AND l.alias >= $3 AND l.alias < $4 ORDER BY l.alias LIMIT $5";
const ALL = live(PAGE);
const OF_AGENT = live(`l.agent = $6 AND ${PAGE}`);

export const aliasReads = (rows: SqlRows): AliasReads => ({
  alias: (name, now) => first(rows, ONE, [now - ALIAS_LIFE_MS, name]),
  async isLastAliasOp(name, id) {
    const row = await first<{ ops: string }>(rows, `SELECT last_ops AS ops FROM aliases WHERE alias = $1`, [name]);
    return row !== undefined && opsOf(row.ops).some((op) => op.id === id);
  },
  async aliases({ prefix, agent, after, limit }, now) {
    // Aliases are ASCII, so every name with the prefix sorts before the prefix followed by the last code of that range.
    const values = [now - ALIAS_LIFE_MS, after ?? "", prefix, `${prefix}\u007f`, limit];
    return agent === undefined ? rows.all<Alias>(ALL, values) : rows.all<Alias>(OF_AGENT, [...values, agent]);
  },
});
