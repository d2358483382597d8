// Aliases for readers.
import { ALIAS_LIFE_MS } from "../../core/message/alias-rules.ts";
import type { Alias, AliasReads } from "../../ports/aliases.ts";
import { opsOf } from "./alias-rows.ts";
import { first, type SqlRows } from "./dialect.ts";
import { firstFitting } from "./short-statements.ts";

/** `$1`: if the last act of the owner was at this time or before, the alias has ended. */
const LIVE = "l.ended_at IS NULL AND a.last_seen > $1";
const ALIAS = `l.alias, l.agent, l.claimed_at AS "claimedAt", a.last_seen + ${ALIAS_LIFE_MS} AS "expiresAt"`;
const live = (where: string): string => `SELECT ${ALIAS} FROM aliases l JOIN agents a ON a.id = l.agent WHERE ${LIVE} AND ${where}`;
const ONE = live("l.alias = $2");
const PAGE = "l.alias > $2 AND l.alias >= $3 AND l.alias < $4 ORDER BY l.alias LIMIT $5";
/** Ended ones are stored for a month, and there may be very many. */
const ALL = `SELECT ${ALIAS}, CASE WHEN ${LIVE} THEN 1 ELSE 0 END AS fits FROM aliases l LEFT JOIN agents a ON a.id = l.agent WHERE ${PAGE}`;
const OF_AGENT = live(`l.agent = $6 AND ${PAGE}`);

export const aliasReads = (rows: SqlRows): AliasReads => ({
  alias: (name, now) => first(rows, ONE, [now - ALIAS_LIFE_MS, name]),
  async isLastAliasOp(name, id) {
    const row = await first<{ ops: string }>(rows, `SELECT last_ops AS ops FROM aliases WHERE alias = $1`, [name]);
    return row !== undefined && opsOf(row.ops).some((op) => op.id === id);
  },
  async aliases({ prefix, agent, after, limit }, now) {
    // Aliases are ASCII, so every name with the prefix sorts before the prefix followed by the last code of that range.
    const values = (last: string | undefined, most: number) => [now - ALIAS_LIFE_MS, last ?? "", prefix, `${prefix}\u007f`, most];
    if (agent !== undefined) return rows.all<Alias>(OF_AGENT, [...values(after, limit), agent]);
    return firstFitting<Alias>(limit, (last, most) => rows.all(ALL, values(last?.alias ?? after, most)));
  },
});
