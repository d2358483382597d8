// Aliases of a SQLite board for readers.
import type { DatabaseSync } from "node:sqlite";
import { ALIAS_LIFE_MS } from "../../core/message/alias-rules.ts";
import type { Alias, AliasReads } from "../../ports/aliases.ts";

export class SqliteAliases {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  alias(name: string, now: number): Alias | undefined {
    return this.#sql.one.get(ALIAS_LIFE_MS, name, now - ALIAS_LIFE_MS) as Alias | undefined;
  }

  aliases({ prefix, agent, after, limit }: Parameters<AliasReads["aliases"]>[0], now: number): readonly Alias[] {
    const silent = now - ALIAS_LIFE_MS;
    // Aliases are ASCII, so everything with the prefix lies before the prefix followed by the last code of that range.
    const range = [after ?? "", prefix, `${prefix}\u007f`] as const;
    const rows =
      agent === undefined
        ? this.#sql.all.all(ALIAS_LIFE_MS, ...range, silent, limit)
        : this.#sql.ofAgent.all(ALIAS_LIFE_MS, agent, ...range, silent, limit);
    return rows as unknown as readonly Alias[];
  }
}

function statements(db: DatabaseSync) {
  const live = (where: string, order = "") =>
    db.prepare(`SELECT l.alias, l.agent, l.claimed_at AS claimedAt, a.last_seen + ? AS expiresAt FROM aliases l JOIN agents a ON a.id = l.agent
      WHERE l.ended_at IS NULL AND ${where} AND a.last_seen > ? ${order}`);
  const page = "l.alias > ? AND l.alias >= ? AND l.alias < ?";
  return {
    one: live("l.alias = ?"),
    all: live(page, "ORDER BY l.alias LIMIT +?"),
    ofAgent: live(`l.agent = ? AND ${page}`, "ORDER BY l.alias LIMIT +?"),
  };
}
