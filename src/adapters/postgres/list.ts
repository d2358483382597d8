// Listings in PostgreSQL: the rows of a page are chosen first, then everything about them is fetched.
import type { Condition } from "../../core/query/condition.ts";
import type { OrderKey, Position } from "../../core/query/order.ts";
import type { Listed, ListQuery } from "../../ports/store.ts";
import { Binder, conditionSql, type Dialect } from "../sql/condition.ts";
import { GONE_AS_MESSAGES, merged } from "../sql/listing.ts";
import { GONE_COLUMNS, toGone } from "../sql/rows.ts";
import { CARD_COLUMNS, CARD_JOINS, cardOf, FACT_COLUMNS, FACT_JOINS, type FactRow, toCard } from "./cards.ts";
import type { Client } from "./client.ts";
import { KeptCards } from "./kept-cards.ts";
import { numberArray, storable } from "./literals.ts";

/** The planner knows by its statistics which index to take. */
export const POSTGRES_DIALECT: Dialect = {
  placeholder: (index) => `$${index}`,
  opaque: (column) => column,
  value: (value) => (typeof value === "string" ? storable(value) : value),
};

const ORDER_COLUMN: Record<OrderKey, string> = {
  seq: "m.seq",
  activity: "t.last_activity",
  expiresAt: "m.expires_at",
  verifies: "m.verifies",
  bits: "m.bits",
};

type Source = "messages" | "gone";

interface PageRow extends FactRow {
  readonly position: number;
  readonly seq: number;
  readonly version: string;
}

export class PostgresLister {
  readonly #client: Client;

  readonly #kept: KeptCards;

  constructor(client: Client) {
    this.#client = client;
    this.#kept = new KeptCards(client);
  }

  async list(query: ListQuery): Promise<readonly Listed[]> {
    const [found, gone] = await Promise.all([this.#cards(query), query.removed ? this.#gone(query) : []]);
    return query.removed ? merged(query, found, gone) : found;
  }

  async seqs(query: ListQuery): Promise<readonly number[]> {
    const { sql, values } = chosen(query, "messages");
    return (await this.#client.ask<{ seq: number }>(sql, values)).map(({ seq }) => seq);
  }

  /** The rows of the page first, and then only what of them is not in memory. */
  async #cards(query: ListQuery): Promise<readonly Listed[]> {
    const { sql, values, direction } = chosen(query, "messages");
    const rows = await this.#client.ask<PageRow>(
      `SELECT p.position, m.seq, m.id || m.xmin AS version, ${FACT_COLUMNS} FROM (${sql}) p JOIN messages m ON m.seq = p.seq ${FACT_JOINS}
        ORDER BY p.position ${direction}, m.seq ${direction}`,
      values,
    );
    const kept = await this.#kept.of(rows);
    // One of them changed in the very moment between both readings: then all in one.
    if (kept === undefined) return this.#cardsAtOnce(query);
    return kept.map((one, i) => {
      const row = rows[i] as PageRow;
      return { card: cardOf(one, row), position: { key: row.position, seq: row.seq } };
    });
  }

  async #cardsAtOnce(query: ListQuery): Promise<readonly Listed[]> {
    const { sql, values, direction } = chosen(query, "messages");
    const rows = await this.#client.ask<{ position: number }>(
      `SELECT p.position, ${CARD_COLUMNS} FROM (${sql}) p JOIN messages m ON m.seq = p.seq ${CARD_JOINS}
        ORDER BY p.position ${direction}, m.seq ${direction}`,
      values,
    );
    return rows.map(({ position, ...row }) => {
      const card = toCard(row);
      return { card, position: { key: position, seq: card.standing.seq } };
    });
  }

  async #gone(query: ListQuery): Promise<readonly Listed[]> {
    const { sql, values, direction } = chosen(query, "gone");
    const rows = await this.#client.ask<{ position: number }>(
      `SELECT p.position, g.* FROM (${sql}) p JOIN (SELECT ${GONE_COLUMNS} FROM gone) g ON g.seq = p.seq
        ORDER BY p.position ${direction}, p.seq ${direction}`,
      values,
    );
    return rows.map(({ position, ...row }) => {
      const gone = toGone(row);
      return { gone, position: { key: position, seq: gone.seq } };
    });
  }
}

/** The seqs of a page and the key of its order. */
function chosen({ condition, order, after, limit, only }: ListQuery, source: Source) {
  const binder = new Binder(POSTGRES_DIALECT);
  const direction = order.descending ? "DESC" : "ASC";
  // A thread that nobody is left in is forgotten, but its tombstones are still listed where asked for.
  const key = order.key === "activity" && source === "gone" ? "coalesce(t.last_activity, m.received_at)" : ORDER_COLUMN[order.key];
  const byThread = order.key === "activity" ? "LEFT JOIN threads t ON t.root = m.root" : "";
  const where = withSeqBounds(condition, binder);
  if (only !== undefined) where.push(`m.seq = ANY (${binder.bind(numberArray(only))}::bigint[])`);
  if (after !== undefined) where.push(beyond(key, order.descending ? "<" : ">", after, binder));
  const messages = source === "gone" ? GONE_AS_MESSAGES : "messages";
  const by = order.key === "seq" ? `m.seq ${direction}` : `${key} ${direction}, m.seq ${direction}`;
  const sql = `SELECT m.seq, ${key} AS position FROM ${messages} m ${byThread} WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT ${binder.bind(limit)}`;
  return { sql, values: binder.values, direction };
}

/** Conditions one by one; times of receipt also as bounds of seq, which an index can stop at. */
function withSeqBounds(condition: Condition, binder: Binder): string[] {
  const parts = condition.is === "and" ? condition.of : [condition];
  return parts.flatMap((one) => {
    const bounds: string[] = [];
    if (one.is === "between" && one.field === "receivedAt") {
      if (one.min !== undefined) bounds.push(`m.seq >= seq_at(${binder.bind(one.min)})`);
      if (one.max !== undefined) bounds.push(`m.seq < seq_at(${binder.bind(one.max + 1)})`);
    }
    return [conditionSql(one, binder), ...bounds];
  });
}

function beyond(key: string, how: "<" | ">", { key: value, seq }: Position, binder: Binder): string {
  return key === "m.seq" ? `m.seq ${how} ${binder.bind(seq)}` : `(${key}, m.seq) ${how} (${binder.bind(value)}, ${binder.bind(seq)})`;
}
