// Aliases of a PostgreSQL board for readers.
import { ALIAS_LIFE_MS } from "../../core/message/alias-rules.ts";
import type { Alias, AliasReads } from "../../ports/aliases.ts";
import type { Client } from "./client.ts";
import { storable } from "./literals.ts";

const live = (where: string): string =>
  `SELECT l.alias, l.agent, l.claimed_at AS "claimedAt", a.last_seen + ${ALIAS_LIFE_MS}::bigint AS "expiresAt"
    FROM aliases l JOIN agents a ON a.id = l.agent WHERE l.ended_at IS NULL AND a.last_seen > $1 AND ${where}`;

export class PostgresAliases implements AliasReads {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async alias(name: string, now: number): Promise<Alias | undefined> {
    return (await this.#client.query<Alias>(live("l.alias = $2"), [now - ALIAS_LIFE_MS, storable(name)]))[0];
  }

  aliases({ prefix, agent, after, limit }: Parameters<AliasReads["aliases"]>[0], now: number): Promise<readonly Alias[]> {
    const start = storable(prefix);
    // Aliases are ASCII, so everything with the prefix lies before the prefix followed by the last code of that range.
    const values = [now - ALIAS_LIFE_MS, storable(after ?? ""), start, `${start}\u007f`, limit];
    const page = "l.alias > $2 AND l.alias >= $3 AND l.alias < $4";
    const order = "ORDER BY l.alias LIMIT $5";
    return agent === undefined
      ? this.#client.query<Alias>(`${live(page)} ${order}`, values)
      : this.#client.query<Alias>(`${live(`l.agent = $6 AND ${page}`)} ${order}`, [...values, storable(agent)]);
  }
}
